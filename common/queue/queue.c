#include "queue/queue.h"

#include <hiredis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "redis/reply.h"

#define TEXT_OF(number) #number
#define TEXT(macro) TEXT_OF(macro)
#define BATCH TEXT(QUEUE_BATCH)

void queue_init(struct queue *q, struct exchange *x, const char *prefix, const char *name)
{
	memset(q, 0, sizeof *q);
	q->x = x;
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

/* --- promoting --- */

static void promote_begin(struct call *call, struct queue *q, const char *limit, const char *held)
{
	queue_call(call, &script_promote, q);
	call_text(call, limit);
	call_text(call, held);
	exchange_add(q->x, call, NULL);
}

void queue_promote_begin(void *ctx, struct call *call, struct queue *q)
{
	(void)ctx;
	promote_begin(call, q, BATCH, "");
}

const char *queue_held(struct held held, char text[HELD_TEXT])
{
	if (held.what != HELD_TIME)
		return held.what == HELD_LOST ? "?" : "";
	snprintf(text, HELD_TEXT, "%lld", (long long)held.ms);
	return text;
}

int queue_promote_end(struct call *call, struct queue_moved *out, struct err *e)
{
	int status = exchange_end(call, NULL, e);

	memset(out, 0, sizeof *out);
	if (status == 0 && !reply_is_array(call->reply, 7, REDIS_REPLY_INTEGER))
		status = call_unexpected(call, e);
	if (status == 0) {
		struct redisReply **r = call->reply->element;
		out->now_us = r[0]->integer;
		out->promoted = r[1]->integer;
		out->back = r[2]->integer;
		out->died = r[3]->integer;
		out->more = r[4]->integer != 0;
		out->next = r[5]->integer;
		out->expired = r[6]->integer;
	}
	call_free(call);
	return status;
}

int queue_promote(struct queue *q, int limit, struct held held, struct queue_moved *out,
		  struct err *e)
{
	struct call call = {0};
	char number[16], text[HELD_TEXT];

	snprintf(number, sizeof number, "%d", limit);
	promote_begin(&call, q, number, queue_held(held, text));
	return queue_promote_end(&call, out, e);
}

/* --- purging --- */

static void purge_begin(struct call *call, struct queue *q, const char *keep, bool dry,
			const char *skip)
{
	queue_call(call, &script_gc, q);
	call_text(call, keep);
	call_text(call, BATCH);
	call_text(call, dry ? "1" : "0");
	call_text(call, skip);
	exchange_add(q->x, call, NULL);
}

void queue_purge_begin(struct call *call, struct queue *q, const char *keep, bool dry)
{
	purge_begin(call, q, keep, dry, "0");
}

int queue_purge_end(struct call *call, int (*each)(void *ctx, const char *id), void *ctx,
		    int64_t *n, bool *more, bool *empty, struct err *e)
{
	int status = exchange_end(call, NULL, e);
	const struct redisReply *reply = call->reply;
	size_t count = status == 0 && reply->type == REDIS_REPLY_ARRAY ? reply->elements : 0;

	*more = *empty = false;
	if (count > 0 && reply->element[count - 1]->type == REDIS_REPLY_INTEGER) {
		*more = reply->element[count - 1]->integer == 1;
		*empty = reply->element[count - 1]->integer == 2;
		count--;
	}
	if (status == 0 && !reply_is_array(reply, count, REDIS_REPLY_STRING))
		status = call_unexpected(call, e);
	*n = status == 0 ? (int64_t)count : 0;
	*more = *more || count >= QUEUE_BATCH;
	for (size_t i = 0; i < count && status == 0; i++)
		if (each(ctx, reply->element[i]->str) < 0)
			status = err_reported(e);
	call_free(call);
	return status;
}

int queue_purge(struct queue *q, int64_t keep, bool dry, int64_t skip,
		int (*each)(void *ctx, const char *id), void *ctx, int64_t *n, bool *more,
		bool *empty, struct err *e)
{
	struct call call = {0};
	char numbers[2][24];

	snprintf(numbers[0], sizeof numbers[0], "%lld", (long long)keep);
	snprintf(numbers[1], sizeof numbers[1], "%lld", (long long)skip);
	purge_begin(&call, q, numbers[0], dry, numbers[1]);
	return queue_purge_end(&call, each, ctx, n, more, empty, e);
}

/* --- is it there? --- */

static void type_begin(struct call *call, struct queue *q, enum name_part part)
{
	call_read(call, "TYPE");
	call_key(call, q->keys.key[part], q->keys.len[part]);
	exchange_add(q->x, call, NULL);
}

/* type_end: does the key exist? */
static int type_end(struct call *call, bool *has, struct err *e)
{
	int status = exchange_end(call, NULL, e);

	if (status == 0 && call->reply->type != REDIS_REPLY_STATUS)
		status = call_unexpected(call, e);
	*has = status == 0 && strcmp(call->reply->str, "none") != 0;
	call_free(call);
	return status;
}

void queue_exists_begin(struct call *call, struct queue *q)
{
	type_begin(call, q, PART_STAT);
}

int queue_exists_end(struct call *call, struct queue *q, bool *exists, struct err *e)
{
	if (type_end(call, exists, e) < 0)
		return -1;
	if (*exists)
		return 0;
	type_begin(call, q, PART_MSG); /* a message that a foreign client put has no counter */
	return type_end(call, exists, e);
}

int queue_exists(struct queue *q, bool *exists, struct err *e)
{
	struct call call = {0};

	queue_exists_begin(&call, q);
	return queue_exists_end(&call, q, exists, e);
}

/* --- marks --- */

int queue_mark(struct queue *q, enum name_part part, struct held held, const struct wait *wait,
	       struct err *e)
{
	struct call call = {0};
	static const char *const text[PART_COUNT] =
		{[PART_WAKE] = "wake", [PART_TIMER] = "timer", [PART_GUARD] = "guard"};
	char score[HELD_TEXT];
	int status;

	queue_call(&call, &script_mark, q);
	call_text(&call, text[part]);
	call_text(&call, queue_held(held, score));
	status = exchange_run(q->x, &call, wait, e);
	call_free(&call);
	/* there was nothing to do, and waiting tools find that out */
	return status < 0 && e->fate == FATE_SHARDS ? 0 : status;
}
