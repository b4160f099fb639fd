#include "message/keyed.h"

#include <hiredis.h>
#include <stdio.h>
#include <string.h>

#include "base/dedup.h"
#include "queue/shards.h"
#include "redis/cursor.h"
#include "redis/reply.h"

/* The reply of the script: two values, then these for each message. */
enum { CURSOR, NOW, FIRST };
enum { ID, STATE, AT, TRIES, DUE, REASON, HOLDER, WIDTH };

struct find {
	struct queue *whole;
	const char *key;
	int (*each)(void *ctx, const char *state, const struct listed *m);
	void *ctx;
	struct dedup seen; /* a SCAN may find a message twice */
	struct cursor cursor;
};

static bool is_row(struct redisReply **r)
{
	return r[ID]->type == REDIS_REPLY_STRING && r[STATE]->type == REDIS_REPLY_STRING &&
	       (r[STATE]->len == 0 || listing_state(r[STATE]->str)) && reply_is_number(r[AT]) &&
	       tries_valid(r[TRIES]) && reply_is_number(r[DUE]) &&
	       r[REASON]->type == REDIS_REPLY_STRING && r[HOLDER]->type == REDIS_REPLY_STRING;
}

static bool is_slice(const struct redisReply *reply)
{
	struct redisReply **r = reply->element;

	if (reply->type != REDIS_REPLY_ARRAY || reply->elements < FIRST ||
	    (reply->elements - FIRST) % WIDTH || !cursor_valid(r[CURSOR]) ||
	    !reply_is_number(r[NOW]))
		return false;
	for (size_t i = FIRST; i < reply->elements; i += WIDTH)
		if (!is_row(r + i))
			return false;
	return true;
}

static int tell(struct find *f, struct redisReply **r)
{
	const struct listed m = {r[ID]->str, r[AT]->integer, tries_of(r[TRIES]), r[DUE]->integer,
				 r[REASON]->str, r[REASON]->len, r[HOLDER]->str, r[HOLDER]->len,
				 NULL};

	if (listing_passes_over(f->whole, r[STATE]->len ? r[STATE]->str : "msg", r[ID]->str,
				r[ID]->len) ||
	    dedup_seen(&f->seen, r[ID]->str, r[ID]->len, "", 0))
		return 0;
	return f->each(f->ctx, r[STATE]->str, &m);
}

/* slice makes one call and moves the cursor. */
static int slice(struct find *f, struct queue *q, struct err *e)
{
	struct call call = {0};
	char count[16];
	int status;

	snprintf(count, sizeof count, "%d", KEYED_SLICE);
	queue_call(&call, &script_keys, q);
	call_text(&call, "find");
	call_text(&call, f->key);
	call_text(&call, f->cursor.text);
	call_text(&call, count);
	call.loss = LOSS_REPEATS;
	status = exchange_run(q->x, &call, NULL, e);
	if (status == 0 && !is_slice(call.reply))
		status = call_unexpected(&call, e);
	if (status == 0)
		status = cursor_next(&f->cursor, &call, call.reply->element[CURSOR], e);
	for (size_t i = FIRST; status == 0 && i < call.reply->elements; i += WIDTH)
		if (tell(f, call.reply->element + i) < 0)
			status = err_reported(e);
	call_free(&call);
	return status;
}

int keyed_find(struct queue *q, const char *key,
	       int (*each)(void *ctx, const char *state, const struct listed *m), void *ctx,
	       struct err *e)
{
	struct find f = {.whole = q, .key = key, .each = each, .ctx = ctx};
	struct queue *shard = q;
	int status;

	cursor_begin(&f.cursor);
	do {
		/* each may learn another number of shards */
		if (shard != shards_find(q, key, strlen(key))) {
			shard = shards_find(q, key, strlen(key));
			cursor_begin(&f.cursor);
		}
		status = slice(&f, shard, e);
		if (status < 0 && e->fate == FATE_SHARDS && (q->shards < 2 || q->rest) &&
		    shards_learn(q, e) == 0) {
			cursor_begin(&f.cursor);
			status = 0;
		}
	} while (status == 0 && !f.cursor.ended);
	dedup_free(&f.seen);
	return status;
}
