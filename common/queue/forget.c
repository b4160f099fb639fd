#include "queue/forget.h"

#include <hiredis.h>
#include <stdio.h>
#include <string.h>

#include "queue/shards.h"

/* A queue that may be forgotten. */
struct going {
	char idle[24];       /* as an argument */
	char generation[NAME_TOKEN_MAX + 1]; /* "": the queue stays */
	bool wanted;
	struct err error;    /* status DQ_DONE: no error */
};

static void drop_begin(struct call *call, struct queue *q, const struct going *g)
{
	queue_call(call, &script_forget, q);
	call_text(call, g->idle);
	exchange_add(q->x, call, NULL);
}

static void unlist_begin(struct call *call, const struct queue *q, const struct going *g)
{
	call_start_on(call, &script_unlist, q->registry, q->newcomers);
	call_text(call, "");
	call_text(call, q->name);
	call_text(call, g->generation);
	exchange_add(q->x, call, NULL);
}

/* drop_end: the keys are removed, unless the queue stays: one of several shards stays, which the
 * caller may not have known. */
static int drop_end(struct call *call, struct going *g, struct err *e)
{
	int status = exchange_end(call, NULL, e);

	g->generation[0] = 0;
	if (status == 0 &&
	    (call->reply->type != REDIS_REPLY_STRING || call->reply->len >= sizeof g->generation))
		status = call_unexpected(call, e);
	if (status == 0)
		strcpy(g->generation, call->reply->str);
	call_free(call);
	return status < 0 && e->fate == FATE_SHARDS ? 0 : status;
}

static int unlist_end(struct call *call, struct err *e)
{
	int status = exchange_end(call, NULL, e);

	if (status == 0 && call->reply->type != REDIS_REPLY_INTEGER)
		status = call_unexpected(call, e);
	call_free(call);
	return status;
}

static int unlist(struct queue *q, const struct going *g, struct err *e)
{
	struct call call = {0};

	unlist_begin(&call, q, g);
	return unlist_end(&call, e);
}

static void set_idle(struct going *g, int64_t idle)
{
	g->idle[0] = 0;
	if (idle >= 0)
		snprintf(g->idle, sizeof g->idle, "%lld", (long long)idle);
}

int forget_queue(struct queue *q, bool *forgotten, struct err *e)
{
	struct call call = {0};
	struct going g;

	*forgotten = false;
	set_idle(&g, -1);
	if (q->rest)
		return 0;
	drop_begin(&call, q, &g);
	if (drop_end(&call, &g, e) < 0 || (g.generation[0] && unlist(q, &g, e) < 0))
		return -1;
	*forgotten = g.generation[0] != 0;
	return 0;
}

int forget_whole(struct queue *q, bool *forgotten, int64_t *messages, struct err *e)
{
	struct shards_removed gone;
	struct going g;
	int status = shards_remove(q, &gone, e);

	*messages = gone.messages;
	strcpy(g.generation, gone.generation);
	if (status == 0 && g.generation[0])
		status = unlist(q, &g, e);
	*forgotten = status == 0 && gone.gone;
	return status;
}

struct some {
	struct queue *queues;
	int count;
	struct going all[QUEUE_TOGETHER];
	struct call calls[QUEUE_TOGETHER];
};

/* drop_all and unlist_all: one exchange each. */
static void drop_all(struct some *s)
{
	for (int i = 0; i < s->count; i++)
		if (s->all[i].wanted)
			drop_begin(&s->calls[i], &s->queues[i], &s->all[i]);
	exchange_push(s->queues[0].x);
	for (int i = 0; i < s->count; i++)
		if (s->all[i].wanted && drop_end(&s->calls[i], &s->all[i], &s->all[i].error) == 0)
			s->all[i].error.status = DQ_DONE;
}

static void unlist_all(struct some *s)
{
	for (int i = 0; i < s->count; i++)
		if (s->all[i].wanted && s->all[i].generation[0])
			unlist_begin(&s->calls[i], &s->queues[i], &s->all[i]);
	exchange_push(s->queues[0].x);
	for (int i = 0; i < s->count; i++)
		if (s->all[i].wanted && s->all[i].generation[0] &&
		    unlist_end(&s->calls[i], &s->all[i].error) == 0)
			s->all[i].error.status = DQ_DONE;
}

int forget_queues(struct queue *queues, const bool *wanted, int count, int64_t idle,
		  int (*each)(void *ctx, int i, bool forgotten, const struct err *e), void *ctx)
{
	struct some s = {.queues = queues, .count = count};
	int status = 0;

	if (count == 0)
		return 0;
	for (int i = 0; i < count; i++) {
		s.all[i].wanted = wanted[i] && !queues[i].rest;
		set_idle(&s.all[i], idle);
	}
	drop_all(&s);
	unlist_all(&s);
	for (int i = 0; i < count && status >= 0; i++) {
		const struct err *e = s.all[i].error.status == DQ_DONE ? NULL : &s.all[i].error;
		if (s.all[i].wanted)
			status = each(ctx, i, !e && s.all[i].generation[0], e);
	}
	return status;
}
