#include "wrong_shard.h"

#include <hiredis.h>
#include <string.h>

#include "message/load_place.h"
#include "queue/shards.h"

int wrong_shard_note(struct wrong_shard *a, const char *id, size_t len)
{
	return buf_add(&a->ids, id, len) < 0 || buf_char(&a->ids, '\0') < 0 ? -1 : 0;
}

static int write_record(struct buf *record, const struct shown *m)
{
	if (buf_add(record, m->header, m->header_len) < 0 || buf_char(record, '\n') < 0)
		return -1;
	return buf_add(record, m->payload, m->payload_len);
}

/* add: *there is whether to has the message now. What a foreign client wrote may be no record that
 * load takes: it stays where it is. */
static int add(struct queue *to, const char *id, const struct buf *place, const struct buf *record,
	       bool *there, struct err *e)
{
	struct call call = {0};
	int status;

	queue_call(&call, &script_load, to);
	call_text(&call, "fail");
	call_text(&call, "0"); /* no load */
	call_text(&call, id);
	call_add(&call, place->bytes, place->len);
	call_add(&call, record->bytes, record->len);
	status = exchange_ask(to->x, &call, REDIS_REPLY_STRING, NULL, e);
	*there = status == 0 && strchr("ns", call.reply->str[0]) && call.reply->str[0];
	call_free(&call);
	return status < 0 && e->status == DQ_USAGE ? 0 : status;
}

static int drop(struct queue *from, const char *id, struct err *e)
{
	struct call call = {0};
	int status;

	queue_call(&call, &script_rm, from);
	call_text(&call, "");
	call_text(&call, id);
	status = exchange_ask(from->x, &call, REDIS_REPLY_STRING, NULL, e);
	call_free(&call);
	return status;
}

static bool is_same(const struct queue *a, const struct queue *b)
{
	return !strcmp(a->keys.key[0], b->keys.key[0]);
}

/* move_shown: the audit makes a message in no state ready, so it is not moved here. */
static int move_shown(struct queue *from, struct queue *to, const char *id, const struct shown *m,
		      struct err *e)
{
	struct buf place = {0}, record = {0};
	bool there = false;
	int status = 0;

	if (!m->exists || m->at < 0)
		return 0;
	if (load_place(&place, m) < 0 || write_record(&record, m) < 0)
		status = err_memory(e);
	if (status == 0)
		status = add(to, id, &place, &record, &there, e);
	if (status == 0 && there)
		status = drop(from, id, e);
	buf_free(&place);
	buf_free(&record);
	return status;
}

/* move: one that is where it belongs would be found there, and be dropped as if it were in both. */
static int move(struct queue *from, struct queue *to, const char *id, struct err *e)
{
	struct shown shown;
	int status;

	if (is_same(from, to))
		return 0;
	status = listing_show(from, id, true, &shown, e);
	if (status == 0)
		status = move_shown(from, to, id, &shown, e);
	listing_shown_free(&shown);
	return status;
}

int wrong_shard_move(struct wrong_shard *a, struct queue *whole, const struct queue *shard,
		     struct err *e)
{
	struct queue from = *shard;
	size_t at = 0;
	int status = 0;

	from.rest = NULL; /* only that shard */
	while (at < a->ids.len && status == 0) {
		const char *id = a->ids.bytes + at;
		status = move(&from, shards_find(whole, id, strlen(id)), id, e);
		at += strlen(id) + 1;
	}
	a->ids.len = 0;
	return status;
}

void wrong_shard_free(struct wrong_shard *a)
{
	buf_free(&a->ids);
}
