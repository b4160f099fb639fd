#include "queue/whole.h"

#include <hiredis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "queue/shards.h"
#include "redis/nodes.h"
#include "redis/reply.h"

struct pausing {
	bool pause;
	int was, failed;
	char tags[160]; /* of the shards that failed */
	struct err why; /* the first time */
};

static void pause_begin(void *ctx, struct call *call, struct queue *q)
{
	const struct pausing *p = ctx;

	queue_call(call, &script_pause, q);
	call_text(call, p->pause ? "1" : "0");
	exchange_add(q->x, call, NULL);
}

static void note_failed(struct pausing *p, const struct queue *q, const struct err *e)
{
	const char *tag = strchr(q->keys.key[PART_STAT], '{') + 1;
	size_t len = strlen(p->tags);

	snprintf(p->tags + len, sizeof p->tags - len, "%s%.*s", len ? ", " : "", (int)strcspn(tag, "}"), tag);
	if (p->failed++ == 0)
		p->why = *e;
	if (e->fate == FATE_UNKNOWN)
		p->why.fate = FATE_UNKNOWN;
}

/* pause_end: if one shard is unreachable, the others are paused nevertheless. */
static int pause_end(void *ctx, struct queue *q, struct call *call, struct err *e)
{
	struct pausing *p = ctx;
	int status;

	if (q->shard == 0)
		*p = (struct pausing){.pause = p->pause};
	status = exchange_end(call, NULL, e);
	if (status == 0 && call->reply->type != REDIS_REPLY_INTEGER)
		status = call_unexpected(call, e);
	p->was += status == 0 && call->reply->integer != 0;
	if (status == 0)
		return 0;
	if (e->fate == FATE_SHARDS || e->status == DQ_STOPPED || !nodes_left(&q->x->nodes))
		return -1;
	note_failed(p, q, e);
	return 0;
}

int queue_pause(struct queue *q, bool pause, int *was, struct err *e)
{
	struct pausing p = {.pause = pause};
	int status = shards_together(q, NULL, pause_begin, pause_end, &p, e);

	*was = p.was;
	if (status < 0 || p.failed == 0)
		return status;
	*e = p.why;
	if (p.failed == q->shards)
		return -1;
	snprintf(e->text, sizeof e->text, "%d of %d shards (%s): %.200s; the others are", p.failed, q->shards, p.tags, p.why.text);
	e->status = p.why.status == DQ_UNAVAILABLE ? DQ_TEMPORARY : p.why.status;
	return -1;
}

static void token_begin(void *ctx, struct call *call, struct queue *q)
{
	(void)ctx;
	call_read(call, "HGET");
	call_key(call, q->keys.key[PART_STAT], q->keys.len[PART_STAT]);
	call_text(call, "token");
	exchange_add(q->x, call, NULL);
}

static int token_end(void *ctx, struct queue *q, struct call *call, struct err *e)
{
	int64_t *last = ctx, token = 0;
	struct err not_a_number;
	int status = exchange_end(call, NULL, e);

	(void)q;
	if (status == 0 && call->reply->type == REDIS_REPLY_STRING)
		num_parse(call->reply->str, 0, INT64_C(1) << 53, "token", &token, &not_a_number); /* any other text is foreign: ignored */
	else if (status == 0 && call->reply->type != REDIS_REPLY_NIL)
		status = call_unexpected(call, e);
	*last = token > *last ? token : *last;
	return status;
}

int queue_token(struct queue *q, int64_t *token, struct err *e)
{
	*token = 0;
	return shards_together(q, NULL, token_begin, token_end, token, e);
}

static int lease_end(const struct queue *q, int64_t *first, struct err *e)
{
	int64_t end = -1;
	struct call call = {0};
	int status;

	call_read(&call, "ZRANGE");
	call_key(&call, q->keys.key[PART_LEASED], q->keys.len[PART_LEASED]);
	call_text(&call, "0");
	call_text(&call, "0");
	call_text(&call, "WITHSCORES");
	status = exchange_ask(q->x, &call, REDIS_REPLY_ARRAY, NULL, e);
	if (status == 0 && call.reply->elements > 0) {
		if (reply_is_array(call.reply, 2, REDIS_REPLY_STRING))
			end = strtoll(call.reply->element[1]->str, NULL, 10); /* an "inf" of a foreign client is 0: long over */
		else
			status = call_unexpected(&call, e);
	}
	if (end >= 0 && (*first < 0 || end < *first))
		*first = end;
	call_free(&call);
	return status;
}

int queue_lease_end(const struct queue *q, int64_t *end, struct err *e)
{
	*end = -1;
	for (int i = 0; i < (q->rest ? q->shards : 1); i++)
		if (lease_end(i == 0 ? q : &q->rest[i - 1], end, e) < 0)
			return -1;
	return 0;
}
