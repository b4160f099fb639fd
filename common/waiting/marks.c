#include "waiting/marks.h"

#include <hiredis.h>
#include <stdlib.h>
#include <string.h>

#include "redis/script.h"

#define TIME_MAX_MS (INT64_C(1) << 53) /* a thousand times this does not overflow */

int marks_init(struct marks *m, struct queue *queues, int count)
{
	size_t n = (size_t)count + 1;

	memset(m, 0, sizeof *m);
	m->queues = queues;
	m->count = count;
	m->times = malloc(n * sizeof *m->times);
	m->guards = malloc(n * sizeof *m->guards);
	m->ready = calloc(n, sizeof *m->ready);
	m->open = calloc(n, sizeof *m->open);
	m->doubt = malloc(n * sizeof *m->doubt);
	if (!m->times || !m->guards || !m->ready || !m->open || !m->doubt) {
		marks_free(m);
		return -1;
	}
	/* the last one is `also`, which has no time and no guard */
	for (int i = 0; i <= count; i++) {
		m->times[i] = m->guards[i] = NOT_HELD;
		m->doubt[i] = MARKS_NEW;
	}
	return 0;
}

void marks_free(struct marks *m)
{
	free(m->times);
	free(m->guards);
	free(m->ready);
	free(m->open);
	free(m->doubt);
	memset(m, 0, sizeof *m);
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

/* hold_time: marks_pass passes its guard on. Any other guard went with its time. */
static void hold_time(struct marks *m, int i, int64_t at)
{
	m->times[i] = at;
	m->doubt[i] = MARKS_SURE;
	if (m->guards[i] != at + MARKS_GUARD)
		m->guards[i] = NOT_HELD;
}

int marks_hold(struct marks *m, const struct redisReply *reply)
{
	const char *k = reply->element[0]->str;
	int64_t at = strtoll(reply->element[2]->str, NULL, 10);
	int i = 0;

	at = at < 0 ? 0 : at < TIME_MAX_MS ? at : TIME_MAX_MS;
	for (; i < m->count; i++) {
		const struct name_keys *keys = &m->queues[i].keys;
		bool time = !strcmp(k, keys->key[PART_TIMER]);
		if (time)
			hold_time(m, i, at);
		else if (!strcmp(k, keys->key[PART_GUARD]))
			m->guards[i] = at;
		else if (strcmp(k, keys->key[PART_WAKE]) != 0)
			continue;
		else
			break;
		return 0;
	}
	m->ready[i] = i < m->count || m->also;
	return 1;
}

int64_t marks_time(const struct marks *m, int from, int to)
{
	int64_t first = -1;

	for (int i = from; i < to; i++) {
		if (m->ready[i])
			return 0;
		if (m->times[i] >= 0 && (first < 0 || m->times[i] < first))
			first = m->times[i];
		if (m->guards[i] >= 0 && (first < 0 || m->guards[i] < first))
			first = m->guards[i];
	}
	return first;
}

static const struct held lost = {.what = HELD_LOST};

static struct held held_at(int64_t time)
{
	return (struct held){time < 0 ? HELD_NOTHING : HELD_TIME, time};
}

struct held marks_held(const struct marks *m, int queue)
{
	return m->doubt[queue] == MARKS_SURE ? held_at(m->times[queue]) : lost;
}

void marks_release(struct marks *m, int queue, bool found, int64_t now)
{
	bool sure = m->doubt[queue] == MARKS_SURE;

	m->ready[queue] = false;
	if (m->guards[queue] <= now)
		m->guards[queue] = NOT_HELD;
	if (found && !sure)
		return;
	if (found || !sure || m->times[queue] <= now)
		m->times[queue] = NOT_HELD;
	m->doubt[queue] = MARKS_SURE;
}

bool marks_lists(const struct marks *m, int queue)
{
	return m->times[queue] < 0;
}

bool marks_lacks(const struct marks *m, int from, int to)
{
	for (int i = from; i < to; i++)
		if (marks_lists(m, i) && !m->open[i])
			return true;
	return false;
}

/* return_guard: at most one round trip. */
static int return_guard(struct marks *m, int i, const struct wait *wait, struct err *e)
{
	if (m->guards[i] >= 0 &&
	    queue_mark(&m->queues[i], PART_GUARD, held_at(m->guards[i]), wait, e) < 0)
		return -1;
	m->guards[i] = NOT_HELD;
	return 0;
}

/* passes: while the slot of a queue is being moved its marks stay here,
 * and the next call to it releases them. */
static bool passes(int status, const struct err *e)
{
	return status == 0 || e->fate == FATE_MOVING;
}

int marks_pass(struct marks *m, const struct wait *wait, struct err *e)
{
	for (int i = 0; i < m->count; i++)
		if (m->times[i] >= 0 && !passes(return_guard(m, i, wait, e), e))
			return -1;
	return 0;
}

void marks_lose(struct marks *m, int from, int to)
{
	for (int i = from; i < to; i++)
		m->doubt[i] = MARKS_LOST;
}

/* return_also: no script sets this mark, because its key belongs to no queue. If the server's
 * memory is full, the mark is not added; then there is no new queue either. */
static int return_also(const struct marks *m, struct exchange *x, const struct wait *wait,
		       struct err *e)
{
	struct call call = {0};
	int status;

	call_plain(&call, "ZADD");
	call_key(&call, m->also, strlen(m->also));
	call_text(&call, "0");
	call_text(&call, "r");
	status = exchange_run(x, &call, wait, e);
	call_free(&call);
	return status < 0 && x->nodes.root.conn.redis && e->status == DQ_TEMPORARY ? 0 : status;
}

static int return_queue(struct marks *m, int i, const struct wait *wait, struct err *e)
{
	struct held timer = m->doubt[i] == MARKS_LOST ? lost : held_at(m->times[i]);

	if (m->ready[i] && queue_mark(&m->queues[i], PART_WAKE, held_at(0), wait, e) < 0)
		return -1;
	m->ready[i] = false;
	if (timer.what != HELD_NOTHING && queue_mark(&m->queues[i], PART_TIMER, timer, wait, e) < 0)
		return -1;
	m->times[i] = NOT_HELD;
	if (m->doubt[i] == MARKS_LOST)
		m->doubt[i] = MARKS_SURE;
	return return_guard(m, i, wait, e);
}

int marks_return(struct marks *m, struct exchange *x, const struct wait *wait, struct err *e)
{
	int status = 0;

	if (m->ready[m->count]) {
		status = return_also(m, x, wait, e);
		m->ready[m->count] = status < 0;
	}
	for (int i = 0; i < m->count && (status == 0 || x->nodes.cluster); i++)
		if (!passes(return_queue(m, i, wait, e), e))
			status = -1;
	return status;
}
