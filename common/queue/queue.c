#include "queue/queue.h"

#include <hiredis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "redis/reply.h"

#define TEXT_OF(number) #number
#define TEXT(macro) TEXT_OF(macro)
#define BATCH TEXT(QUEUE_BATCH)

void queue_init(struct queue *q, struct conn *conn, const char *prefix, const char *name)
{
	memset(q, 0, sizeof *q);
	q->conn = conn;
	snprintf(q->name, sizeof q->name, "%s", name);
	name_registry(prefix, q->registry);
	name_newcomers(prefix, q->newcomers);
	name_keys(prefix, name, 0, &q->keys);
	q->shards = 1;
}

void queue_free(struct queue *q)
{
	while (q->groups) {
		struct shard_group *group = q->groups;
		q->groups = group->next;
		free(group);
	}
	q->rest = NULL;
}

void queue_call(struct call *call, const struct script *script, const struct queue *q)
{
	call_start(call, script, &q->keys);
	call_text(call, q->now_arg);
}

static void promote_call(struct call *call, struct queue *q, const char *limit, const char *held)
{
	queue_call(call, &script_promote, q);
	call_text(call, limit);
	call_text(call, held);
}

void queue_promote_ahead(struct call *call, struct queue *q)
{
	promote_call(call, q, BATCH, "");
}

const char *queue_held(struct held held, char text[HELD_TEXT])
{
	if (held.what != HELD_TIME)
		return held.what == HELD_LOST ? "?" : "";
	snprintf(text, HELD_TEXT, "%lld", (long long)held.ms);
	return text;
}

int queue_promote(struct queue *q, int limit, struct held held, struct queue_moved *out, struct err *e)
{
	struct call call = {0};
	char number[16], text[HELD_TEXT];
	int status = -1;

	memset(out, 0, sizeof *out);
	snprintf(number, sizeof number, "%d", limit);
	promote_call(&call, q, number, queue_held(held, text));
	if (sent_run(q->conn, q->ahead, &call, e) == 0) {
		if (reply_is_array(call.reply, 7, REDIS_REPLY_INTEGER)) {
			struct redisReply **r = call.reply->element;
			out->now_us = r[0]->integer;
			out->promoted = r[1]->integer;
			out->back = r[2]->integer;
			out->died = r[3]->integer;
			out->more = r[4]->integer != 0;
			out->next = r[5]->integer;
			out->expired = r[6]->integer;
			status = 0;
		} else {
			call_unexpected(&call, e);
		}
	}
	call_free(&call);
	return status;
}

static void purge_call(struct call *call, struct queue *q, const char *keep, bool dry, const char *skip)
{
	queue_call(call, &script_gc, q);
	call_text(call, keep);
	call_text(call, BATCH);
	call_text(call, dry ? "1" : "0");
	call_text(call, skip);
}

void queue_purge_ahead(struct call *call, struct queue *q, const char *keep, bool dry)
{
	purge_call(call, q, keep, dry, "0");
}

int queue_purge(struct queue *q, int64_t keep, bool dry, int64_t skip, int (*each)(void *ctx, const char *id), void *ctx,
		int64_t *n, bool *more, bool *empty, struct err *e)
{
	struct call call = {0};
	char numbers[2][24];
	struct redisReply *reply;
	size_t count;
	int status;

	*n = 0;
	*more = *empty = false;
	snprintf(numbers[0], sizeof numbers[0], "%lld", (long long)keep);
	snprintf(numbers[1], sizeof numbers[1], "%lld", (long long)skip);
	purge_call(&call, q, numbers[0], dry, numbers[1]);
	status = sent_run(q->conn, q->ahead, &call, e);
	if (status < 0)
		goto out;
	reply = call.reply;
	count = reply->type == REDIS_REPLY_ARRAY ? reply->elements : 0;
	if (count > 0 && reply->element[count - 1]->type == REDIS_REPLY_INTEGER) {
		*more = reply->element[count - 1]->integer == 1;
		*empty = reply->element[count - 1]->integer == 2;
		count--;
	}
	if (!reply_is_array(reply, count, REDIS_REPLY_STRING)) {
		status = call_unexpected(&call, e);
		goto out;
	}
	*n = (int64_t)count;
	*more = *more || count >= QUEUE_BATCH;
	for (size_t i = 0; i < count && status == 0; i++)
		if (each(ctx, reply->element[i]->str) < 0)
			status = err_reported(e);
out:
	call_free(&call);
	return status;
}

static void type_call(struct call *call, struct queue *q, enum name_part part)
{
	call_read(call, "TYPE");
	call_key(call, q->keys.key[part], q->keys.len[part]);
}

void queue_exists_ahead(struct call *call, struct queue *q)
{
	type_call(call, q, PART_STAT);
}

/* has_part: has the queue that key? */
static int has_part(struct queue *q, enum name_part part, bool *has, struct err *e)
{
	struct call call = {0};
	int status;

	type_call(&call, q, part);
	status = sent_ask(q->conn, q->ahead, &call, REDIS_REPLY_STATUS, e);
	*has = status == 0 && strcmp(call.reply->str, "none") != 0;
	call_free(&call);
	return status;
}

int queue_exists(struct queue *q, bool *exists, struct err *e)
{
	if (has_part(q, PART_STAT, exists, e) < 0)
		return -1;
	return *exists ? 0 : has_part(q, PART_MSG, exists, e); /* a message that a foreign client put has no counter */
}

int queue_mark(struct queue *q, enum name_part part, struct held held, const struct wait *wait, struct err *e)
{
	struct call call = {0};
	static const char *const text[PART_COUNT] = {[PART_WAKE] = "wake", [PART_TIMER] = "timer", [PART_GUARD] = "guard"};
	char score[HELD_TEXT];
	int status;

	queue_call(&call, &script_mark, q);
	call_text(&call, text[part]);
	call_text(&call, queue_held(held, score));
	status = script_run(q->conn, &call, wait, e);
	call_free(&call);
	return status < 0 && e->fate == FATE_SHARDS ? 0 : status; /* there was nothing to do, and waiting tools find that out */
}
