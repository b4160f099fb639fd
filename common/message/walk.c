#include "message/walk.h"

#include <hiredis.h>
#include <stdio.h>
#include <string.h>

#include "message/header.h"
#include "redis/cursor.h"
#include "redis/reply.h"

/* The reply of the script: two values, then these for each message or reserved id. */
enum { CURSOR, NOW, FIRST };
enum { ID, STATE, AT, TRIES, DUE, AGAIN, FIRST_DUE, FAILURES, REASON, RECORD, WIDTH };
enum { UNTIL = 1, OUTCOME, RESERVED_WIDTH };

struct walk {
	struct queue *queue;
	const char *part;
	size_t width;
	int (*tell)(struct walk *w, int64_t now, struct redisReply **r);
	int (*message)(void *ctx, const char *id, const struct shown *m);
	int (*reserved)(void *ctx, const char *id, int64_t until, const struct outcome *o);
	void *ctx;
	struct cursor cursor;
};

int64_t walk_count(int64_t count, int64_t bytes)
{
	int64_t most = bytes > 0 ? count * QUEUE_BATCH_BYTES / bytes : count * 2;

	count = most < count * 2 ? most : count * 2;
	return count < 1 ? 1 : count > QUEUE_BATCH ? QUEUE_BATCH : count;
}

static bool is_text(size_t column, size_t width)
{
	if (width == RESERVED_WIDTH)
		return column == ID || column == OUTCOME;
	return column == ID ||
	       (width == WIDTH && (column == STATE || column == REASON || column == RECORD));
}

static bool is_slice(const struct redisReply *reply, size_t width)
{
	struct redisReply **r = reply->element;

	if (reply->type != REDIS_REPLY_ARRAY || reply->elements < FIRST ||
	    (reply->elements - FIRST) % width || !cursor_valid(r[CURSOR]) ||
	    !reply_is_number(r[NOW]))
		return false;
	for (size_t i = FIRST; i < reply->elements; i++) {
		size_t column = (i - FIRST) % width;
		bool tries = width == WIDTH && column == TRIES;
		if (tries                  ? !tries_valid(r[i]) :
		    is_text(column, width) ? r[i]->type != REDIS_REPLY_STRING :
					     !reply_is_number(r[i]))
			return false;
		if (width == WIDTH && column == STATE && r[i]->len > 0 && !listing_state(r[i]->str))
			return false;
	}
	return true;
}

static int tell_message(struct walk *w, int64_t now, struct redisReply **r)
{
	struct shown m = {.exists = true, .now = now, .state = r[STATE]->str, .at = r[AT]->integer,
			  .tries = tries_of(r[TRIES]), .delivery_due = r[DUE]->integer,
			  .again = r[AGAIN]->integer, .first_due = r[FIRST_DUE]->integer,
			  .failures = r[FAILURES]->integer,
			  .reason = r[REASON]->str, .reason_len = r[REASON]->len,
			  .header = r[RECORD]->str};
	struct header h;

	m.header_len = header_split(r[RECORD]->str, r[RECORD]->len, &m.payload);
	m.payload_len = (size_t)(r[RECORD]->str + r[RECORD]->len - m.payload);
	m.bytes = (int64_t)m.payload_len;
	header_read(&h, m.header, m.header_len);
	m.priority = h.priority;
	return w->message(w->ctx, r[ID]->str, &m);
}

static int tell_reserved(struct walk *w, int64_t now, struct redisReply **r)
{
	struct outcome o;

	if (r[UNTIL]->integer <= now)
		return 0;
	outcome_read(&o, r[OUTCOME]->str, r[OUTCOME]->len);
	return w->reserved(w->ctx, r[ID]->str, r[UNTIL]->integer, &o);
}

/* slice makes one call and moves the cursor. *bytes: how many the call read. */
static int slice(struct walk *w, int64_t count, int64_t *bytes, struct err *e)
{
	struct call call = {0};
	char number[24];
	int status;

	*bytes = 0;
	snprintf(number, sizeof number, "%lld", (long long)count);
	queue_call(&call, &script_walk, w->queue);
	if (!w->cursor.told)
		call.loss = LOSS_REPEATS;
	else if (!cursor_at_begin(&w->cursor))
		call.loss = LOSS_ENDS;
	call_text(&call, w->part);
	call_text(&call, w->cursor.text);
	call_text(&call, number);
	status = exchange_run(w->queue->x, &call, NULL, e);
	if (status == 0 && !is_slice(call.reply, w->width))
		status = call_unexpected(&call, e);
	if (status == 0)
		status = cursor_next(&w->cursor, &call, call.reply->element[CURSOR], e);
	for (size_t i = FIRST; status == 0 && i < call.reply->elements; i += w->width) {
		struct redisReply **r = call.reply->element + i;
		*bytes += (int64_t)(r[ID]->len + (w->width == WIDTH ? r[RECORD]->len : 0));
		if (!listing_passes_over(w->queue, w->part, r[ID]->str, r[ID]->len) &&
		    w->tell(w, call.reply->element[NOW]->integer, r) < 0)
			status = err_reported(e);
	}
	call_free(&call);
	return status;
}

/* walk: SCAN finds every entry that exists all the time. */
static int walk(struct walk *w, int64_t count, struct err *e)
{
	int64_t bytes;
	int status;

	cursor_begin(&w->cursor);
	do {
		status = slice(w, count, &bytes, e);
		count = walk_count(count, bytes);
	} while (status == 0 && !w->cursor.ended);
	return status;
}

int walk_messages(struct queue *q, int (*each)(void *ctx, const char *id, const struct shown *m),
		  void *ctx, struct err *e)
{
	struct walk w = {.queue = q, .part = "msg", .width = WIDTH, .tell = tell_message,
			 .message = each, .ctx = ctx, .cursor.told = true};

	return walk(&w, 1, e);
}

int walk_reserved(struct queue *q, bool anew,
		  int (*each)(void *ctx, const char *id, int64_t until, const struct outcome *o),
		  void *ctx, struct err *e)
{
	struct walk w = {.queue = q, .part = "settled", .width = RESERVED_WIDTH,
			 .tell = tell_reserved, .reserved = each, .ctx = ctx,
			 .cursor.told = !anew};

	return walk(&w, QUEUE_BATCH, e);
}
