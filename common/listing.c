#include "listing.h"

#include <hiredis.h>
#include <stdio.h>
#include <string.h>

#include "reply.h"

const char *const listing_states[] = {"delayed", "due", "ready", "leased", "dead", NULL};

bool listing_state(const char *text)
{
	for (size_t i = 0; listing_states[i]; i++)
		if (!strcmp(text, listing_states[i]))
			return true;
	return false;
}

enum { WIDTH = 4 };

/* places: how many texts follow the messages. */
static bool is_page(const struct redisReply *reply, size_t places)
{
	if (reply->type != REDIS_REPLY_ARRAY || reply->elements % WIDTH != places)
		return false;
	for (size_t i = 0; i + WIDTH <= reply->elements; i += WIDTH) {
		struct redisReply **r = reply->element + i;
		if (r[0]->type != REDIS_REPLY_STRING || !name_id_valid(r[0]->str, r[0]->len) ||
		    !reply_is_number(r[1]) || !reply_is_number(r[2]) || r[3]->type != REDIS_REPLY_STRING)
			return false;
	}
	return !places || reply->element[reply->elements - 1]->type == REDIS_REPLY_STRING;
}

static int list(struct queue *q, const char *state, int64_t skip, int limit, struct listing_place *place,
		int (*each)(void *ctx, const struct listed *m), void *ctx, int64_t *n, struct err *e)
{
	struct call call = {0};
	char numbers[2][24];
	int status;

	*n = 0;
	snprintf(numbers[0], sizeof numbers[0], "%lld", (long long)skip);
	snprintf(numbers[1], sizeof numbers[1], "%d", limit);
	call_start(&call, &script_list, &q->keys);
	call_text(&call, "");
	call_text(&call, state);
	call_text(&call, numbers[0]);
	call_text(&call, numbers[1]);
	if (place)
		call_text(&call, place->text);
	status = script_run(q->conn, &call, e);
	if (status == 0 && !is_page(call.reply, place ? 1 : 0))
		status = queue_unexpected(&call, e);
	if (status == 0) {
		*n = (int64_t)(call.reply->elements / WIDTH);
		if (place)
			snprintf(place->text, sizeof place->text, "%s", call.reply->element[call.reply->elements - 1]->str);
		e->status = DQ_DONE;
		for (size_t i = 0; i + WIDTH <= call.reply->elements && status == 0; i += WIDTH) {
			struct redisReply **r = call.reply->element + i;
			const struct listed m = {r[0]->str, r[1]->integer, r[2]->integer, r[3]->str, r[3]->len};
			status = each(ctx, &m);
		}
	}
	call_free(&call);
	return status < 0 ? -1 : 0;
}

int listing_page(struct queue *q, const char *state, int64_t skip, int limit, int (*each)(void *ctx, const struct listed *m),
		 void *ctx, int64_t *n, struct err *e)
{
	return list(q, state, skip, limit, NULL, each, ctx, n, e);
}

int listing_next(struct queue *q, const char *state, struct listing_place *place, int limit,
		 int (*each)(void *ctx, const struct listed *m), void *ctx, int64_t *n, struct err *e)
{
	return list(q, state, 0, limit, place, each, ctx, n, e);
}

enum { NOW, STATE, AT, PRIORITY, TRIES, TOKEN, DELIVERY_DUE, REASON, HEADER, BYTES, PAYLOAD, FIELDS };

static bool is_shown(const struct redisReply *reply)
{
	static const int types[FIELDS] = {REDIS_REPLY_INTEGER, REDIS_REPLY_STRING,  REDIS_REPLY_INTEGER, REDIS_REPLY_INTEGER,
					  REDIS_REPLY_INTEGER, REDIS_REPLY_STRING,  REDIS_REPLY_INTEGER, REDIS_REPLY_STRING,
					  REDIS_REPLY_STRING,  REDIS_REPLY_INTEGER, REDIS_REPLY_STRING};

	if (reply->type != REDIS_REPLY_ARRAY || (reply->elements != 0 && reply->elements != FIELDS))
		return false;
	for (size_t i = 0; i < reply->elements; i++)
		if (reply->element[i]->type != types[i] ||
		    (types[i] == REDIS_REPLY_INTEGER && !reply_is_number(reply->element[i])))
			return false;
	return reply->elements == 0 || reply->element[STATE]->len == 0 || listing_state(reply->element[STATE]->str);
}

int listing_show(struct queue *q, const char *id, bool payload, struct shown *out, struct err *e)
{
	struct redisReply **r;

	memset(out, 0, sizeof *out);
	call_start(&out->call, &script_show, &q->keys);
	call_text(&out->call, "");
	call_text(&out->call, id);
	call_text(&out->call, payload ? "1" : "0");
	if (script_run(q->conn, &out->call, e) < 0)
		return -1;
	if (!is_shown(out->call.reply))
		return queue_unexpected(&out->call, e);
	r = out->call.reply->element;
	out->exists = out->call.reply->elements > 0;
	if (!out->exists)
		return 0;
	out->now = r[NOW]->integer;
	out->state = r[STATE]->str;
	out->at = r[AT]->integer;
	out->priority = r[PRIORITY]->integer;
	out->tries = r[TRIES]->integer;
	out->token = r[TOKEN]->str;
	out->delivery_due = r[DELIVERY_DUE]->integer;
	out->reason = r[REASON]->str;
	out->reason_len = r[REASON]->len;
	out->header = r[HEADER]->str;
	out->bytes = r[BYTES]->integer;
	out->payload = r[PAYLOAD]->str;
	out->payload_len = r[PAYLOAD]->len;
	return 0;
}

void listing_shown_free(struct shown *shown)
{
	call_free(&shown->call);
}
