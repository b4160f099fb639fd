#include "queue/forget.h"

#include <hiredis.h>
#include <stdio.h>
#include <string.h>

#include "queue/ahead.h"
#include "queue/shards.h"

/* A queue that may be forgotten. */
struct going {
	char idle[24];       /* as an argument */
	char generation[NAME_TOKEN_MAX + 1]; /* "": the queue stays */
	bool wanted;
	struct err error;    /* status DQ_DONE: no error */
};

static void forget_call(struct call *call, struct queue *q, const struct going *g)
{
	queue_call(call, &script_forget, q);
	call_text(call, g->idle);
}

static void unlist_call(struct call *call, const struct queue *q, const struct going *g)
{
	call_start_on(call, &script_unlist, q->registry, q->newcomers);
	call_text(call, "");
	call_text(call, q->name);
	call_text(call, g->generation);
}

/* drop removes the keys, unless the queue stays: one of several shards stays, which the caller may not have known. */
static int drop(struct queue *q, struct going *g, struct err *e)
{
	struct call call = {0};
	int status;

	g->generation[0] = 0;
	forget_call(&call, q, g);
	status = sent_run(q->conn, q->ahead, &call, e);
	if (status == 0 && (call.reply->type != REDIS_REPLY_STRING || call.reply->len >= sizeof g->generation))
		status = call_unexpected(&call, e);
	if (status == 0)
		strcpy(g->generation, call.reply->str);
	call_free(&call);
	return status < 0 && e->fate == FATE_SHARDS ? 0 : status;
}

static int unlist(struct queue *q, const struct going *g, struct err *e)
{
	struct call call = {0};
	int status;

	unlist_call(&call, q, g);
	status = sent_ask(q->conn, q->ahead, &call, REDIS_REPLY_INTEGER, e);
	call_free(&call);
	return status;
}

static void set_idle(struct going *g, int64_t idle)
{
	g->idle[0] = 0;
	if (idle >= 0)
		snprintf(g->idle, sizeof g->idle, "%lld", (long long)idle);
}

int forget_queue(struct queue *q, bool *forgotten, struct err *e)
{
	struct going g;

	*forgotten = false;
	set_idle(&g, -1);
	if (q->rest)
		return 0;
	if (drop(q, &g, e) < 0 || (g.generation[0] && unlist(q, &g, e) < 0))
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
	struct going all[AHEAD_MAX];
};

static void forget_ahead(void *ctx, struct call *calls, struct queue *q)
{
	const struct some *s = ctx;
	const struct going *g = &s->all[q - s->queues];

	if (g->wanted)
		forget_call(calls, q, g);
}

static void unlist_ahead(void *ctx, struct call *calls, struct queue *q)
{
	const struct some *s = ctx;
	const struct going *g = &s->all[q - s->queues];

	if (g->wanted && g->generation[0])
		unlist_call(calls, q, g);
}

/* forget_all and unlist_all: one exchange each. */
static void forget_all(struct some *s, struct queue_ahead ahead[AHEAD_MAX], int count)
{
	struct queue *list[AHEAD_MAX];

	ahead_list(s->queues, count, list);
	ahead_ask(s->queues->conn, list, ahead, count, forget_ahead, s);
	for (int i = 0; i < count; i++)
		if (s->all[i].wanted && drop(&s->queues[i], &s->all[i], &s->all[i].error) == 0)
			s->all[i].error.status = DQ_DONE;
	ahead_end(list, ahead, count);
}

static void unlist_all(struct some *s, struct queue_ahead ahead[AHEAD_MAX], int count)
{
	struct queue *list[AHEAD_MAX];

	ahead_list(s->queues, count, list);
	ahead_ask(s->queues->conn, list, ahead, count, unlist_ahead, s);
	for (int i = 0; i < count; i++)
		if (s->all[i].wanted && s->all[i].generation[0] && unlist(&s->queues[i], &s->all[i], &s->all[i].error) == 0)
			s->all[i].error.status = DQ_DONE;
	ahead_end(list, ahead, count);
}

int forget_queues(struct queue *queues, const bool *wanted, int count, int64_t idle,
			 int (*each)(void *ctx, int i, bool forgotten, const struct err *e), void *ctx)
{
	struct queue_ahead ahead[AHEAD_MAX] = {{.lost = {.status = DQ_DONE}}};
	struct some s = {.queues = queues};
	int status = 0;

	if (count == 0)
		return 0;
	for (int i = 0; i < count; i++) {
		s.all[i].wanted = wanted[i] && !queues[i].rest;
		set_idle(&s.all[i], idle);
	}
	forget_all(&s, ahead, count);
	unlist_all(&s, ahead, count);
	for (int i = 0; i < count && status >= 0; i++) {
		const struct err *e = s.all[i].error.status == DQ_DONE ? NULL : &s.all[i].error;
		if (s.all[i].wanted)
			status = each(ctx, i, !e && s.all[i].generation[0], e);
	}
	return status;
}
