#include <hiredis.h>

#include "base/num.h"
#include "queue/shards.h"

struct pausing {
	bool pause, was;
};

static void pause_call(void *ctx, struct call *call, struct queue *q)
{
	const struct pausing *p = ctx;

	queue_call(call, &script_pause, q);
	call_text(call, p->pause ? "1" : "0");
}

static int pause_one(void *ctx, struct queue *q, struct err *e)
{
	struct pausing *p = ctx;
	struct call call = {0};
	int status;

	pause_call(p, &call, q);
	status = sent_run(q->conn, q->ahead, &call, e);
	if (status == 0 && call.reply->type != REDIS_REPLY_INTEGER)
		status = call_unexpected(&call, e);
	if (status == 0)
		p->was = (p->was && q->shard > 0) || call.reply->integer != 0;
	call_free(&call);
	return status;
}

int queue_pause(struct queue *q, bool pause, bool *was, struct err *e)
{
	struct pausing p = {pause, false};
	int status = shards_together(q, pause_call, pause_one, &p, e);

	*was = p.was;
	return status;
}

static void token_call(void *ctx, struct call *call, struct queue *q)
{
	(void)ctx;
	call_plain(call, "HGET");
	call_key(call, q->keys.key[PART_STAT], q->keys.len[PART_STAT]);
	call_text(call, "token");
}

static int token_of(void *ctx, struct queue *q, struct err *e)
{
	int64_t *last = ctx, token = 0;
	struct call call = {0};
	struct err not_a_number;
	int status;

	token_call(NULL, &call, q);
	status = sent_run(q->conn, q->ahead, &call, e);
	if (status == 0 && call.reply->type == REDIS_REPLY_STRING)
		num_parse(call.reply->str, 0, INT64_C(1) << 53, "token", &token, &not_a_number); /* any other hand's text says nothing */
	else if (status == 0 && call.reply->type != REDIS_REPLY_NIL)
		status = call_unexpected(&call, e);
	*last = token > *last ? token : *last;
	call_free(&call);
	return status;
}

int queue_token(struct queue *q, int64_t *token, struct err *e)
{
	*token = 0;
	return shards_together(q, token_call, token_of, token, e);
}
