#include "marks.h"

#include <hiredis.h>
#include <stdlib.h>
#include <string.h>

#include "script.h"

#define TIME_MAX_MS (INT64_C(1) << 53) /* a thousand times that is no overflow */

int marks_init(struct marks *m, struct queue *queues, int count)
{
	memset(m, 0, sizeof *m);
	m->queues = queues;
	m->count = count;
	m->times = malloc(((size_t)count + 1) * sizeof *m->times);
	m->ready = calloc((size_t)count + 1, sizeof *m->ready);
	m->doubt = malloc(((size_t)count + 1) * sizeof *m->doubt);
	if (!m->times || !m->ready || !m->doubt) {
		marks_free(m);
		return -1;
	}
	for (int i = 0; i < count; i++) {
		m->times[i] = HELD_NONE;
		m->doubt[i] = MARKS_NEW;
	}
	return 0;
}

void marks_free(struct marks *m)
{
	free(m->times);
	free(m->ready);
	free(m->doubt);
	m->times = NULL;
	m->ready = NULL;
	m->doubt = NULL;
}

bool marks_is(const struct redisReply *reply)
{
	if (reply->type != REDIS_REPLY_ARRAY || reply->elements != 3)
		return false;
	for (size_t i = 0; i < 3; i++)
		if (reply->element[i]->type != REDIS_REPLY_STRING)
			return false;
	return true;
}

int marks_hold(struct marks *m, const struct redisReply *reply)
{
	const char *k = reply->element[0]->str;
	int64_t at = strtoll(reply->element[2]->str, NULL, 10);
	int i = 0;

	for (; i < m->count; i++) {
		if (!strcmp(k, m->queues[i].keys.key[PART_TIMER])) {
			m->times[i] = at < 0 ? 0 : at < TIME_MAX_MS ? at : TIME_MAX_MS;
			m->doubt[i] = MARKS_SURE;
			return 0;
		}
		if (!strcmp(k, m->queues[i].keys.key[PART_WAKE]))
			break;
	}
	m->ready[i] = i < m->count || m->also;
	return 1;
}

int64_t marks_time(const struct marks *m)
{
	int64_t first = -1;

	for (int i = 0; i < m->count; i++)
		if (m->times[i] >= 0 && (first < 0 || m->times[i] < first))
			first = m->times[i];
	return first;
}

int64_t marks_held(const struct marks *m, int queue)
{
	return m->doubt[queue] == MARKS_SURE ? m->times[queue] : HELD_LOST;
}

void marks_spend(struct marks *m, int queue, bool found)
{
	m->ready[queue] = false;
	if (found && m->doubt[queue] != MARKS_SURE)
		return;
	m->times[queue] = HELD_NONE;
	m->doubt[queue] = MARKS_SURE;
}

void marks_lose(struct marks *m)
{
	for (int i = 0; i < m->count; i++)
		m->doubt[i] = MARKS_LOST;
}

/* return_also: that mark has no script, as its key is no queue's. Where memory is full it stays away, but then there is nothing new. */
static int return_also(const struct marks *m, struct conn *conn, struct err *e)
{
	struct call call = {0};
	int status;

	call_plain(&call, "ZADD");
	call_text(&call, m->also);
	call_text(&call, "0");
	call_text(&call, "r");
	status = script_run(conn, &call, e);
	call_free(&call);
	return status < 0 && conn->redis && e->status == DQ_TEMPORARY ? 0 : status;
}

int marks_return(struct marks *m, struct conn *conn, struct err *e)
{
	if (m->ready[m->count] && return_also(m, conn, e) < 0)
		return -1;
	m->ready[m->count] = false;
	for (int i = 0; i < m->count; i++) {
		int64_t at = m->doubt[i] == MARKS_LOST ? HELD_LOST : m->times[i];

		if (m->ready[i] && queue_mark(&m->queues[i], PART_WAKE, 0, e) < 0)
			return -1;
		m->ready[i] = false;
		if (at != HELD_NONE && queue_mark(&m->queues[i], PART_TIMER, at, e) < 0)
			return -1;
		m->times[i] = HELD_NONE;
		if (m->doubt[i] == MARKS_LOST)
			m->doubt[i] = MARKS_SURE;
	}
	return 0;
}
