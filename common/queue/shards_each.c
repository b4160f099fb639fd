#include <string.h>

#include "queue/shards.h"

#define TRIES 3    /* to learn the number: it hardly ever changes */

/* goes_on: after FATE_SHARDS it learns the number; then all shards are asked again. If q is one of
 * the shards, the owner of the whole does that. -1: *e. */
static int goes_on(struct queue *q, struct err *e)
{
	if (q->shards > 1 && !q->rest)
		return -1;
	return shards_learn(q, e);
}

/* What is done with each shard: each; or begin, then end. */
struct pass {
	int (*each)(void *ctx, struct queue *shard, struct err *e);
	struct call *begun; /* of a queue of one shard: begin is done */
	void (*begin)(void *ctx, struct call *call, struct queue *shard);
	int (*end)(void *ctx, struct queue *shard, struct call *call, struct err *e);
	void *ctx;
};

/* pass_each: until one returns other than 0. If each learns another number meanwhile
 * (listing_show), the rest of the old shards refuse their calls. */
static int pass_each(struct queue *q, const struct pass *p, struct err *e)
{
	struct queue *rest = q->rest;
	int count = rest ? q->shards : 1, status = 0;

	for (int i = 0; i < count && status == 0; i++)
		status = p->each(p->ctx, i == 0 ? q : &rest[i - 1], e);
	return status;
}

/* some: the shards from the first on, of which there are count. */
static int some(struct queue *q, int first, int count, const struct pass *p, struct err *e)
{
	struct call calls[QUEUE_TOGETHER];
	int status = 0;

	memset(calls, 0, (size_t)count * sizeof *calls);
	for (int i = 0; i < count; i++)
		p->begin(p->ctx, &calls[i], shards_at(q, first + i));
	exchange_push(q->x);
	for (int i = 0; i < count && status == 0; i++)
		status = p->end(p->ctx, shards_at(q, first + i), &calls[i], e);
	for (int i = 0; i < count; i++)
		call_free(&calls[i]);
	return status;
}

static int pass_together(struct queue *q, const struct pass *p, struct err *e)
{
	int count = q->rest ? q->shards : 1, status = 0;

	if (count == 1 && call_begun(p->begun)) {
		status = p->end(p->ctx, q, p->begun, e);
		call_drop(p->begun);
		return status;
	}
	for (int from = 0; from < count && status == 0; from += QUEUE_TOGETHER)
		status = some(q, from,
			      count - from < QUEUE_TOGETHER ? count - from : QUEUE_TOGETHER, p, e);
	return status;
}

static int passes(struct queue *q,
		  int (*pass)(struct queue *q, const struct pass *p, struct err *e),
		  const struct pass *p, struct err *e)
{
	int status = 0;

	for (int tries = 0; tries < TRIES; tries++) {
		status = pass(q, p, e);
		if (status >= 0 || e->fate != FATE_SHARDS || goes_on(q, e) < 0)
			break;
	}
	return status;
}

int shards_each(struct queue *q, int (*each)(void *ctx, struct queue *shard, struct err *e),
		void *ctx, struct err *e)
{
	return passes(q, pass_each, &(struct pass){.each = each, .ctx = ctx}, e);
}

int shards_together(struct queue *q, struct call *begun,
		    void (*begin)(void *ctx, struct call *call, struct queue *shard),
		    int (*end)(void *ctx, struct queue *shard, struct call *call, struct err *e),
		    void *ctx, struct err *e)
{
	return passes(q, pass_together,
		      &(struct pass){.begun = begun, .begin = begin, .end = end, .ctx = ctx}, e);
}
