#include "marks.h"

#include <hiredis.h>
#include <stdio.h>
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
	if (!m->times || !m->ready) {
		marks_free(m);
		return -1;
	}
	for (int i = 0; i < count; i++)
		m->times[i] = -1;
	return 0;
}

void marks_free(struct marks *m)
{
	free(m->times);
	free(m->ready);
	m->times = NULL;
	m->ready = NULL;
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
			if (m->times[i] < 0 || at < m->times[i])
				m->times[i] = at < 0 ? 0 : at < TIME_MAX_MS ? at : TIME_MAX_MS;
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

bool marks_timed(const struct marks *m, int queue)
{
	return m->times[queue] >= 0;
}

void marks_spend(struct marks *m, int queue)
{
	m->times[queue] = -1;
	m->ready[queue] = false;
}

/* put_back: LT: never over an earlier one. */
static int put_back(struct conn *conn, const char *k, int64_t at, const char *member, struct err *e)
{
	char score[24];
	struct call call = {0};
	int status;

	snprintf(score, sizeof score, "%lld", (long long)at);
	call_plain(&call, "ZADD");
	call_text(&call, k);
	call_text(&call, "LT");
	call_text(&call, score);
	call_text(&call, member);
	status = script_run(conn, &call, e);
	call_free(&call);
	return status;
}

int marks_return(struct marks *m, struct conn *conn, struct err *e)
{
	for (int i = 0; i <= m->count; i++) {
		if (m->ready[i] && put_back(conn, i < m->count ? m->queues[i].keys.key[PART_WAKE] : m->also, 0, "r", e) < 0)
			return -1;
		m->ready[i] = false;
		if (i == m->count || m->times[i] < 0)
			continue;
		if (put_back(conn, m->queues[i].keys.key[PART_TIMER], m->times[i], "t", e) < 0)
			return -1;
		m->times[i] = -1;
	}
	return 0;
}
