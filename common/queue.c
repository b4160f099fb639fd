#include "queue.h"

#include <hiredis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "num.h"
#include "reply.h"

void queue_init(struct queue *q, struct conn *conn, const char *prefix, const char *name)
{
	memset(q, 0, sizeof *q);
	q->conn = conn;
	snprintf(q->name, sizeof q->name, "%s", name);
	name_registry(prefix, q->registry);
	name_newcomers(prefix, q->newcomers);
	name_keys(prefix, name, &q->keys);
}

int queue_unexpected(const struct call *call, struct err *e)
{
	return err_set(e, DQ_INTERNAL, "unexpected reply to %s", call->script ? call->script->name : call->argv[0]);
}

bool queue_is_array(const struct redisReply *reply, size_t at_least, int type)
{
	if (reply->type != REDIS_REPLY_ARRAY || reply->elements < at_least)
		return false;
	for (size_t i = 0; i < at_least; i++)
		if (type == REDIS_REPLY_INTEGER ? !reply_is_number(reply->element[i]) : reply->element[i]->type != type)
			return false;
	return true;
}

static int compare_names(const void *a, const void *b)
{
	const struct redisReply *const *x = a, *const *y = b;

	return strcmp((*x)->str, (*y)->str);
}

int queue_list(struct conn *conn, const char *prefix, int (*each)(void *ctx, const char *name), void *ctx, struct err *e)
{
	char registry[NAME_KEY_MAX];
	struct call call = {0};
	struct redisReply *reply;
	int status = -1;

	name_registry(prefix, registry);
	call_plain(&call, "SMEMBERS");
	call_text(&call, registry);
	if (script_run(conn, &call, e) < 0)
		goto out;
	reply = call.reply;
	if (reply->type != REDIS_REPLY_ARRAY || !queue_is_array(reply, reply->elements, REDIS_REPLY_STRING)) {
		queue_unexpected(&call, e);
		goto out;
	}
	status = 0;
	if (reply->elements) /* a NULL array may not even be sorted */
		qsort(reply->element, reply->elements, sizeof *reply->element, compare_names);
	for (size_t i = 0; i < reply->elements && status == 0; i++)
		if (name_queue_valid(reply->element[i]->str, reply->element[i]->len))
			status = each(ctx, reply->element[i]->str);
out:
	call_free(&call);
	return status;
}

const char *queue_held(int64_t held, char text[HELD_TEXT])
{
	if (held < 0)
		return held == HELD_LOST ? "?" : "";
	snprintf(text, HELD_TEXT, "%lld", (long long)held);
	return text;
}

int queue_promote(struct queue *q, int limit, int64_t held, struct queue_moved *out, struct err *e)
{
	struct call call = {0};
	char number[16], text[HELD_TEXT];
	int status = -1;

	memset(out, 0, sizeof *out);
	snprintf(number, sizeof number, "%d", limit);
	call_start(&call, &script_promote, &q->keys);
	call_text(&call, "");
	call_text(&call, number);
	call_text(&call, queue_held(held, text));
	if (script_run(q->conn, &call, e) == 0) {
		if (queue_is_array(call.reply, 6, REDIS_REPLY_INTEGER)) {
			struct redisReply **r = call.reply->element;
			out->now_us = r[0]->integer;
			out->promoted = r[1]->integer;
			out->back = r[2]->integer;
			out->died = r[3]->integer;
			out->more = r[4]->integer != 0;
			out->next = r[5]->integer;
			status = 0;
		} else {
			queue_unexpected(&call, e);
		}
	}
	call_free(&call);
	return status;
}

#define STAT_NUMBERS 10

int queue_stat(struct queue *q, struct queue_counts *out, struct err *e)
{
	int64_t *const numbers[STAT_NUMBERS] = {&out->now, &out->delayed, &out->due, &out->ready, &out->leased, &out->dead,
						&out->oldest_ready, &out->earliest_due, &out->next_due, &out->paused};
	struct redisReply *reply;

	memset(out, 0, sizeof *out);
	call_start(&out->call, &script_stat, &q->keys);
	call_text(&out->call, "");
	if (script_run(q->conn, &out->call, e) < 0)
		return -1;
	reply = out->call.reply;
	if (!queue_is_array(reply, STAT_NUMBERS, REDIS_REPLY_INTEGER))
		return queue_unexpected(&out->call, e);
	for (size_t i = STAT_NUMBERS; i < reply->elements; i++)
		if (reply->element[i]->type != REDIS_REPLY_STRING)
			return queue_unexpected(&out->call, e);
	for (size_t i = 0; i < STAT_NUMBERS; i++)
		*numbers[i] = reply->element[i]->integer;
	out->counters = (reply->elements - STAT_NUMBERS) / 2;
	return 0;
}

void queue_counter(const struct queue_counts *counts, size_t i, const char **name, const char **value)
{
	struct redisReply **at = counts->call.reply->element + STAT_NUMBERS + i * 2;

	*name = at[0]->str;
	*value = at[1]->str;
}

void queue_counts_free(struct queue_counts *counts)
{
	call_free(&counts->call);
}

int queue_purge(struct queue *q, int64_t keep, bool dry, int64_t skip, int (*each)(void *ctx, const char *id), void *ctx,
		int64_t *n, bool *more, struct err *e)
{
	struct call call = {0};
	char numbers[3][24];
	struct redisReply *reply;
	size_t count;
	int status;

	*n = 0;
	*more = false;
	snprintf(numbers[0], sizeof numbers[0], "%lld", (long long)keep);
	snprintf(numbers[1], sizeof numbers[1], "%d", QUEUE_BATCH);
	snprintf(numbers[2], sizeof numbers[2], "%lld", (long long)skip);
	call_start(&call, &script_gc, &q->keys);
	call_text(&call, "");
	call_text(&call, numbers[0]);
	call_text(&call, numbers[1]);
	call_text(&call, dry ? "1" : "0");
	call_text(&call, numbers[2]);
	status = script_run(q->conn, &call, e);
	if (status < 0)
		goto out;
	reply = call.reply;
	count = reply->type == REDIS_REPLY_ARRAY ? reply->elements : 0;
	if (count > 0 && reply->element[count - 1]->type == REDIS_REPLY_INTEGER) {
		*more = true;
		count--;
	}
	if (!queue_is_array(reply, count, REDIS_REPLY_STRING)) {
		status = queue_unexpected(&call, e);
		goto out;
	}
	*n = (int64_t)count;
	*more = *more || count >= QUEUE_BATCH;
	for (size_t i = 0; i < count && status == 0; i++)
		status = each(ctx, reply->element[i]->str);
out:
	call_free(&call);
	return status;
}

int queue_pause(struct queue *q, bool pause, bool *was, struct err *e)
{
	struct call call = {0};
	int status;

	call_start(&call, &script_pause, &q->keys);
	call_text(&call, "");
	call_text(&call, pause ? "1" : "0");
	status = script_run(q->conn, &call, e);
	if (status == 0 && call.reply->type != REDIS_REPLY_INTEGER)
		status = queue_unexpected(&call, e);
	if (status == 0)
		*was = call.reply->integer != 0;
	call_free(&call);
	return status;
}

int queue_forget(struct queue *q, bool *forgotten, struct err *e)
{
	struct call call = {0};
	int status;

	call_start(&call, &script_forget, &q->keys);
	call_one_more_key(&call, q->registry);
	call_text(&call, "");
	call_text(&call, q->name);
	status = script_run(q->conn, &call, e);
	if (status == 0 && call.reply->type != REDIS_REPLY_INTEGER)
		status = queue_unexpected(&call, e);
	*forgotten = status == 0 && call.reply->integer != 0;
	call_free(&call);
	return status;
}

int queue_paused(struct queue *q, bool *paused, struct err *e)
{
	struct call call = {0};
	int status;

	call_plain(&call, "HEXISTS");
	call_add(&call, q->keys.key[PART_CONF], q->keys.len[PART_CONF]);
	call_text(&call, "paused");
	status = script_run(q->conn, &call, e);
	if (status == 0 && call.reply->type != REDIS_REPLY_INTEGER)
		status = queue_unexpected(&call, e);
	*paused = status == 0 && call.reply->integer != 0;
	call_free(&call);
	return status;
}

int queue_token(struct queue *q, int64_t *token, struct err *e)
{
	struct call call = {0};
	struct err not_a_number;
	int status;

	*token = 0;
	call_plain(&call, "HGET");
	call_add(&call, q->keys.key[PART_STAT], q->keys.len[PART_STAT]);
	call_text(&call, "token");
	status = script_run(q->conn, &call, e);
	if (status == 0 && call.reply->type == REDIS_REPLY_STRING)
		num_parse(call.reply->str, 0, INT64_C(1) << 53, "token", token, &not_a_number); /* any other hand's text says nothing */
	else if (status == 0 && call.reply->type != REDIS_REPLY_NIL)
		status = queue_unexpected(&call, e);
	call_free(&call);
	return status;
}

int queue_mark(struct queue *q, enum name_part part, int64_t at, struct err *e)
{
	struct call call = {0};
	static const char *const text[PART_COUNT] = {[PART_WAKE] = "wake", [PART_TIMER] = "timer", [PART_GUARD] = "guard"};
	char score[HELD_TEXT];
	int status;

	call_start(&call, &script_mark, &q->keys);
	call_text(&call, "");
	call_text(&call, text[part]);
	call_text(&call, queue_held(at, score));
	status = script_run(q->conn, &call, e);
	call_free(&call);
	return status;
}
