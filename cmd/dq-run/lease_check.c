#include "lease_check.h"

#include <stdlib.h>

#include "base/clock.h"

int lease_check_init(struct lease_check *h, struct queue *queues, int count)
{
	h->queues = queues;
	h->count = count;
	h->calls = calloc((size_t)count, sizeof *h->calls);
	return h->calls ? 0 : -1;
}

void lease_check_free(struct lease_check *h)
{
	for (int i = 0; i < h->count && h->calls; i++)
		call_free(&h->calls[i]);
	free(h->calls);
	h->calls = NULL;
}

/* it_is_time: then the next time is a second from now, for all, whatever comes of this one. */
static bool it_is_time(struct pool *c)
{
	int64_t now = clock_ms();
	bool due = false;

	for (int i = 0; i < c->count; i++)
		due = due || (c->jobs[i].state == JOB_RUNNING && now >= c->jobs[i].look_at);
	for (int i = 0; i < c->count && due; i++)
		c->jobs[i].look_at = now + JOB_LOOK;
	return due;
}

/* next is the first job from i on that runs a message of q, or jobs. */
static int next(const struct pool *c, const struct queue *q, int i)
{
	while (i < c->count && (c->jobs[i].state != JOB_RUNNING || c->jobs[i].queue != q))
		i++;
	return i;
}

#define AT_ONCE 50 /* requests in flight: a connection has room for some more */

/* send asks for some queues, from *at on, which is moved behind them. How many were asked for, or -1: *at is the one that failed. */
static int send(const struct lease_check *h, struct pool *c, int *at, struct err *e)
{
	int asked = 0;

	for (; *at < h->count && asked < AT_ONCE; ++*at) {
		struct call *call = &h->calls[*at];
		struct queue *q = &h->queues[*at];
		int i = next(c, q, 0);

		if (i == c->count)
			continue;
		settle_ask(call, q);
		for (; i < c->count; i = next(c, q, i + 1))
			call_text(call, c->jobs[i].id);
		if (script_send(q->conn, call, e) < 0)
			return -1;
		asked++;
	}
	return asked;
}

/* judge compares what was answered with the receipts. */
static int judge(const struct call *call, const struct queue *q, struct pool *c, struct err *e)
{
	size_t n = 0;

	if (script_check(call, e) < 0)
		return -1;
	for (int i = next(c, q, 0); i < c->count; i = next(c, q, i + 1))
		n++;
	if (!settle_told(call, n))
		return call_unexpected(call, e);
	n = 0;
	for (int i = next(c, q, 0); i < c->count; i = next(c, q, i + 1))
		if (!settle_is_last(call, n++, c->jobs[i].token))
			job_doubt(&c->jobs[i]);
	return 0;
}

/* look asks for some queues and hears the answers. *at as in send. */
static int look(const struct lease_check *h, struct pool *c, struct conn *conn, int *at, const struct wait *wait, struct err *e)
{
	int asked = send(h, c, at, e);
	struct call *done;

	for (int i = 0; i < asked; i++) {
		if (script_recv(conn, wait, &done, e) < 0)
			return -1;
		if (judge(done, &h->queues[done - h->calls], c, e) < 0) {
			*at = (int)(done - h->calls);
			return -1;
		}
	}
	return asked < 0 ? -1 : 0;
}

void lease_check_run(const struct lease_check *h, struct pool *c, struct session *l, const struct wait *wait)
{
	struct err e;
	int at = 0;

	if (!it_is_time(c) || !link_up(l, wait))
		return;
	while (at < h->count) {
		if (look(h, c, l->conn, &at, wait, &e) < 0) {
			session_lost(l, h->queues[at < h->count ? at : 0].name, &e);
			return;
		}
	}
	session_answered(l);
}
