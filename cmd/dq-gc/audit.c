#include "audit.h"

#include <hiredis.h>
#include <stdio.h>
#include <string.h>

#include "base/dedup.h"
#include "message/walk.h"
#include "redis/cursor.h"
#include "redis/reply.h"

struct walk {
	struct queue *queue;
	struct call *begun; /* its first call, if it was begun before */
	bool repair;
	struct cursor cursor;
	bool uneven; /* the numbers of bodies and index entries differ */
	int (*each)(void *ctx, const struct audit_fault *f);
	void *ctx;
	struct audit_sum *sum;
	struct dedup seen; /* SCAN may return an entry twice */
};

enum { CURSOR, BYTES, EVEN, FAULTS };

static bool is_slice(const struct redisReply *reply)
{
	if (reply->type != REDIS_REPLY_ARRAY || reply->elements < FAULTS ||
	    (reply->elements - FAULTS) % 2)
		return false;
	for (size_t i = 0; i < reply->elements; i++)
		if (i == BYTES || i == EVEN ? !reply_is_number(reply->element[i]) :
					      reply->element[i]->type != REDIS_REPLY_STRING)
			return false;
	return cursor_valid(reply->element[CURSOR]);
}

/* tell passes the faults of one reply on. */
static int tell(struct walk *w, const struct redisReply *reply)
{
	for (size_t i = FAULTS; i < reply->elements; i += 2) {
		const struct redisReply *id = reply->element[i], *fault = reply->element[i + 1];
		const struct audit_fault f = {id->str, id->len, fault->str};
		if (dedup_seen(&w->seen, id->str, id->len, fault->str, fault->len))
			continue;
		w->sum->faults++;
		if (w->each(w->ctx, &f) < 0)
			return -1;
	}
	return 0;
}

static void begin(struct call *call, struct queue *q, const char *part, const char *cursor,
		  const char *count, bool repair)
{
	queue_call(call, &script_audit, q);
	call->reads = !repair;
	call_text(call, part);
	call_text(call, cursor);
	call_text(call, count);
	call_text(call, repair ? "1" : "0");
	if (q->shards > 1)
		call_text(call, q->shard_text);
	exchange_add(q->x, call, NULL);
}

#define ALL "all" /* all parts that are small, in one call */
#define TEXT_OF(number) #number
#define TEXT(macro) TEXT_OF(macro)

void audit_begin(struct call *call, struct queue *q, bool repair)
{
	begin(call, q, ALL, "0", TEXT(QUEUE_BATCH), repair);
}

/* walk_slice makes one call and moves the cursor. *bytes: how many the call read. */
static int walk_slice(struct walk *w, const char *part, int64_t count, int64_t *bytes,
		      struct err *e)
{
	struct call own = {0}, *call = call_begun(w->begun) ? w->begun : &own;
	char number[24];
	int status;

	*bytes = 0;
	snprintf(number, sizeof number, "%lld", (long long)count);
	if (call == &own)
		begin(call, w->queue, part, w->cursor.text, number, w->repair);
	status = exchange_end(call, NULL, e);
	if (status == 0 && !is_slice(call->reply))
		status = call_unexpected(call, e);
	if (status == 0)
		status = cursor_next(&w->cursor, call, call->reply->element[CURSOR], e);
	if (status == 0) {
		struct redisReply **r = call->reply->element;
		*bytes = r[BYTES]->integer;
		w->uneven = w->uneven || !r[EVEN]->integer;
		if (tell(w, call->reply) < 0)
			status = err_reported(e);
	}
	call_free(call);
	return status;
}

static void count_slice(struct walk *w, int64_t bytes)
{
	w->sum->slices++;
	w->sum->bytes += bytes;
	if (bytes > w->sum->max_bytes)
		w->sum->max_bytes = bytes;
}

/* walk_part returns 1 to begin anew, -1 on error. SCAN finds every entry that exists all the time.
 * Its count is of entries, but bodies have up to 16 MiB, and the server reads them whole. So the
 * count follows the bytes of the last slice, and begins with one body. */
static int walk_part(struct walk *w, const char *part, struct err *e)
{
	/* both read bodies */
	int64_t count = strcmp(part, "msg") && strcmp(part, "expiry") ? QUEUE_BATCH : 1, bytes;

	cursor_begin(&w->cursor);
	do {
		if (walk_slice(w, part, count, &bytes, e) < 0)
			return -1;
		if (w->cursor.anew)
			return 1;
		count_slice(w, bytes);
		count = walk_count(count, bytes);
	} while (!w->cursor.ended);
	return 0;
}

/* walk_parts reads the bodies only if needed, because that is expensive. If each index entry has a
 * body, no message is in two states, and both numbers are equal, then each body is in a state. */
static int walk_parts(struct walk *w, struct err *e)
{
	static const char *const parts[] = {"leased", "ready", "delayed", "dead", "try", "failing",
					    "expiry", "outcome", "keyed"};
	int64_t bytes;
	int status;
	bool much;

	cursor_begin(&w->cursor);
	status = walk_slice(w, ALL, QUEUE_BATCH, &bytes, e);
	much = !w->cursor.ended;
	if (status == 0)
		count_slice(w, bytes);
	for (size_t i = 0; i < sizeof parts / sizeof *parts && status == 0 && much; i++)
		status = walk_part(w, parts[i], e);
	if (status == 0 && (w->uneven || w->sum->faults > 0))
		status = walk_part(w, "msg", e);
	return status;
}

int audit_walk(struct queue *q, struct call *begun, bool repair,
	       int (*each)(void *ctx, const struct audit_fault *f), void *ctx,
	       struct audit_sum *sum, struct err *e)
{
	struct walk w = {.queue = q, .begun = begun, .repair = repair, .each = each, .ctx = ctx,
			 .sum = sum};
	int status;

	memset(sum, 0, sizeof *sum);
	do
		status = walk_parts(&w, e);
	while (status > 0);
	dedup_free(&w.seen);
	return status;
}
