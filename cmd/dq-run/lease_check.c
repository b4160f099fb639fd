#include "lease_check.h"

#include <stdlib.h>

#include "base/clock.h"
#include "redis/nodes.h"

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

/* it_is_time also sets the next check, a second from now, for all jobs, whatever the result of this one. A job stays in this one even if a
 * signal ends its command meanwhile: replies are compared by position. */
static bool it_is_time(struct pool *c)
{
	int64_t now = clock_ms();
	bool due = false;

	for (int i = 0; i < c->count; i++)
		due = due || (c->jobs[i].state == JOB_RUNNING && now >= c->jobs[i].check_at);
	for (int i = 0; i < c->count && due; i++) {
		c->jobs[i].check_at = now + JOB_CHECK;
		c->jobs[i].checked = c->jobs[i].state == JOB_RUNNING;
	}
	return due;
}

/* next is the first job from i on that runs a message of q and is checked, or the count of jobs. */
static int next(const struct pool *c, const struct queue *q, int i)
{
	while (i < c->count && (!c->jobs[i].checked || c->jobs[i].queue != q))
		i++;
	return i;
}

#define AT_ONCE 50 /* requests in flight: a connection has room for a few more */

/* send sends a request for each of some queues, from *at on, and moves *at behind them. -1: *at is the queue that failed. */
static int send(const struct lease_check *h, struct pool *c, int *at, const struct wait *wait, struct err *e)
{
	for (int asked = 0; *at < h->count && asked < AT_ONCE; ++*at) {
		struct call *call = &h->calls[*at];
		struct queue *q = &h->queues[*at];
		int i = next(c, q, 0);

		if (i == c->count)
			continue;
		settle_ask(call, q);
		for (; i < c->count; i = next(c, q, i + 1))
			call_text(call, c->jobs[i].id);
		if (script_way(q->conn, call, wait, &q->conn, e) < 0 || script_send(q->conn, call, e) < 0)
			return -1;
		asked++;
	}
	return 0;
}

/* judge compares the reply with the receipts. After a redirection the next check asks the right node. */
static int judge(struct call *call, const struct queue *q, struct pool *c, struct err *e)
{
	size_t n = 0;

	if (script_check(call, e) < 0)
		return script_heed(q->conn, call, e) < 0 ? -1 : 0;
	for (int i = next(c, q, 0); i < c->count; i = next(c, q, i + 1))
		n++;
	if (!settle_reply_valid(call, n))
		return call_unexpected(call, e);
	n = 0;
	for (int i = next(c, q, 0); i < c->count; i = next(c, q, i + 1))
		if (!settle_is_last(call, n++, c->jobs[i].token))
			job_doubt(&c->jobs[i]);
	return 0;
}

/* hear reads replies up to that for the k-th queue. */
static int hear(const struct lease_check *h, struct pool *c, int k, const struct wait *wait, struct err *e)
{
	struct call *done;

	while (!h->calls[k].reply) {
		if (script_recv(h->queues[k].conn, wait, &done, e) < 0 || judge(done, &h->queues[done - h->calls], c, e) < 0)
			return -1;
	}
	return 0;
}

/* goes_on: is only one node of a cluster lost? */
static bool goes_on(const struct lease_check *h, int k, struct session *l, const struct err *e)
{
	nodes_lost(l, h->queues[k].name, e);
	return l->conn->nodes && l->status == DQ_DONE && e->status != DQ_STOPPED;
}

/* check_some sends the requests for some queues and reads the replies. *at is as in send. False: it cannot continue. */
static bool check_some(const struct lease_check *h, struct pool *c, struct session *l, int *at, const struct wait *wait)
{
	int from = *at, sent;
	struct err e;

	if (send(h, c, at, wait, &e) < 0) {
		nodes_note(h->queues[*at].conn, &e);
		if (!goes_on(h, *at, l, &e))
			return false;
		sent = (*at)++;
	} else {
		sent = *at;
	}
	for (int k = from; k < sent; k++) {
		if (next(c, &h->queues[k], 0) == c->count || !h->queues[k].conn->redis)
			continue;
		if (hear(h, c, k, wait, &e) == 0)
			continue;
		nodes_note(h->queues[k].conn, &e);
		if (!goes_on(h, k, l, &e))
			return false;
	}
	return true;
}

void lease_check_run(const struct lease_check *h, struct pool *c, struct session *l, const struct wait *wait)
{
	int at = 0;

	if (!it_is_time(c) || !reconnect_up(l, wait))
		return;
	while (at < h->count)
		if (!check_some(h, c, l, &at, wait))
			return;
	session_answered(l);
}
