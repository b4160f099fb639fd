#include "lease_check.h"

#include <stdlib.h>

#include "base/clock.h"
#include "redis/exchange.h"
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

/* it_is_time also sets the next check, a second from now, for all jobs, whatever the result of
 * this one. A job stays in this one even if a signal ends its command meanwhile: replies are
 * compared by position. */
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

/* ask begins the request for a queue, unless no command runs a message of it. */
static void ask(struct call *call, struct queue *q, struct pool *c, const struct wait *wait)
{
	int i = next(c, q, 0);

	settle_ask(call, q);
	/* a node that refuses is asked again in a second: the leases, and other nodes,
	 * do not wait for it */
	call->hurried = true;
	for (int k = i; k < c->count; k = next(c, q, k + 1))
		call_text(call, c->jobs[k].id);
	if (i < c->count)
		exchange_add(q->x, call, wait);
}

/* judge compares the reply with the receipts. */
static int judge(struct call *call, const struct queue *q, struct pool *c, const struct wait *wait,
		 struct err *e)
{
	size_t n = 0;

	if (exchange_wait(call, wait, e) < 0)
		return -1;
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

/* goes_on: is only one node of a cluster lost? */
static bool goes_on(const struct queue *q, struct exchange *x, const struct err *e)
{
	nodes_lost(&x->nodes, q->name, e);
	return x->nodes.cluster && x->session->status == DQ_DONE && e->status != DQ_STOPPED;
}

void lease_check_run(const struct lease_check *h, struct pool *c, struct exchange *x,
		     const struct wait *wait)
{
	bool good = true;
	struct err e;

	if (!it_is_time(c) || !reconnect_up(x, wait))
		return;
	for (int k = 0; k < h->count; k++)
		ask(&h->calls[k], &h->queues[k], c, wait);
	for (int k = 0; k < h->count; k++) {
		if (good && h->calls[k].state != CALL_MADE &&
		    judge(&h->calls[k], &h->queues[k], c, wait, &e) < 0)
			good = goes_on(&h->queues[k], x, &e);
		call_drop(&h->calls[k]);
	}
	if (good)
		session_answered(x->session);
}
