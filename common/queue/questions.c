#include "queue/questions.h"

#include <hiredis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "queue/key_pauses.h"
#include "queue/shards.h"
#include "redis/nodes.h"
#include "redis/reply.h"

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
		/* any other text is foreign: ignored */
		num_parse(call->reply->str, 0, INT64_C(1) << 53, "token", &token, &not_a_number);
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
			/* an "inf" of a foreign client is 0: long over */
			end = strtoll(call.reply->element[1]->str, NULL, 10);
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

/* --- paused keys --- */

struct reading {
	int64_t now;
	struct key_pauses *out;
};

static void pauses_begin(void *ctx, struct call *call, struct queue *shard)
{
	(void)ctx;
	key_pauses_begin(call, shard);
}

/* pauses_end leaves out the keys of other shards, and pauses that are over. */
static int pauses_end(void *ctx, struct queue *shard, struct call *call, struct err *e)
{
	const struct reading *r = ctx;
	struct key_pauses *out = r->out;
	size_t kept = shard->shard ? out->count : 0, from = kept;

	out->count = kept;
	if (key_pauses_end(call, out, e) < 0)
		return -1;
	for (size_t i = from; i < out->count; i++) {
		const struct key_pause *p = &out->list[i];
		const char *key = key_pause_key(p);
		if ((p->until < 0 || p->until > r->now) &&
		    shards_of(shard->shards, key, strlen(key)) == shard->shard)
			out->list[kept++] = *p;
	}
	out->count = kept;
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct key_pause *x = a, *y = b;

	return strcmp(key_pause_name(x), key_pause_name(y));
}

int queue_key_pauses(struct queue *q, int64_t now, struct key_pauses *out, struct err *e)
{
	struct reading r = {now, out};

	if (shards_together(q, NULL, pauses_begin, pauses_end, &r, e) < 0)
		return -1;
	if (out->count)
		qsort(out->list, out->count, sizeof *out->list, compare);
	return 0;
}
