#include <hiredis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "queue/shards.h"
#include "redis/reply.h"

int shards_change(struct queue *shard, const char *from, const char *to, struct shards_said *out, struct err *e)
{
	struct call call = {0};
	struct redisReply **r;
	int status;

	call_start(&call, &script_shards, &shard->keys);
	call_text(&call, "");
	call_text(&call, from);
	call_text(&call, to);
	status = script_ask(shard->conn, &call, REDIS_REPLY_ARRAY, NULL, e);
	r = status == 0 ? call.reply->element : NULL;
	if (status == 0 && (call.reply->elements != 4 || r[0]->type != REDIS_REPLY_INTEGER || r[1]->type != REDIS_REPLY_STRING ||
			    r[2]->type != REDIS_REPLY_STRING || r[1]->len >= sizeof out->says || r[2]->len >= sizeof out->generation))
		status = call_unexpected(&call, e);
	if (status == 0 && !reply_is_number(r[3]))
		status = call_unexpected(&call, e);
	if (status == 0) {
		out->messages = r[3]->integer;
		out->done = r[0]->integer == 1;
		strcpy(out->says, r[1]->str);
		strcpy(out->generation, r[2]->str);
	}
	call_free(&call);
	return status;
}

/* --- making: shard 0 comes last: until then no client uses the others --- */

/* is_closed: does the statement with that number say that the queue is being removed? */
static bool is_closed(const char *says, const char *number)
{
	size_t len = strlen(number);

	return strlen(says) == len + 1 && !strncmp(says, number, len) && says[len] == '-';
}

static int refuse(const struct queue *q, const char *says, const char *number, struct err *e)
{
	if (!says[0])
		return err_set(e, DQ_NO, "the number of shards is set before the first put: it has messages, or reserved ids");
	if (strchr(says, '-') && !is_closed(says, number))
		return err_set(e, DQ_NO, "its removal was interrupted: dq-rm -a %s", q->name);
	return err_set(e, DQ_NO, "it has %s shards already, or messages where they would be", says);
}

/* bear_one makes a shard. A shard other than 0 may have a statement from a making that was never completed. */
static int bear_one(struct queue *shard, const char *number, struct err *e)
{
	struct shards_said said = {.says = ""};
	char from[16];

	do {
		strcpy(from, said.says);
		if (shards_change(shard, from, number, &said, e) < 0)
			return -1;
	} while (!said.done && strcmp(said.says, from) != 0 && (shard->shard > 0 || is_closed(said.says, number)));
	return said.done ? 0 : refuse(shard, said.says, number, e);
}

/* undo removes what was made before shard 0 refused. */
static void undo(struct queue *q, const char *number)
{
	struct shards_said said = {.done = false};
	struct err e;

	for (int i = 1; i < q->shards; i++)
		shards_change(shards_at(q, i), number, "", &said, &e);
}

int shards_bear(struct queue *q, int count, struct err *e)
{
	struct shards_said said = {.done = false};
	char number[16] = "";

	if (count > 1)
		snprintf(number, sizeof number, "%d", count);
	if (shards_change(q, number, number, &said, e) < 0) /* changes nothing */
		return -1;
	if (count == 1)
		return said.says[0] ? refuse(q, said.says, number, e) : 0;
	if (!said.done && (said.says[0] ? !is_closed(said.says, number) : said.messages > 0))
		return refuse(q, said.says, number, e);
	if (shards_set(q, count, e) < 0)
		return -1;
	for (int i = count - 1; i >= 0; i--) {
		if (bear_one(shards_at(q, i), number, e) == 0)
			continue;
		if (e->status == DQ_NO && i == 0)
			undo(q, number);
		return -1;
	}
	return 0;
}

int shards_recover(struct queue *q, struct err *e)
{
	struct shards_said said = {.done = false};
	int count;

	if (shards_ask(q, e) == 0) /* it only reads; if the server refuses writes, the messages report that */
		return 0;
	if (e->fate != FATE_SHARDS || shards_change(q, "", "", &said, e) < 0)
		return -1;
	count = said.says[0] ? (int)strtol(said.says, NULL, 10) : 1;
	if (count < 1 || count > SHARDS_MAX)
		return err_set(e, DQ_INTERNAL, "its number of shards makes no sense");
	return strchr(said.says, '-') ? shards_bear(q, count, e) : shards_set(q, count, e);
}

/* --- removal: shard 0 is closed first and goes last --- */

/* reopen opens the first so many shards again, if they still exist. */
static int reopen(struct queue *q, int count, const char *number, const char *closed, struct err *e)
{
	struct shards_said said = {.done = false};

	for (int i = 0; i < count; i++)
		if (shards_change(shards_at(q, i), closed, number, &said, e) < 0)
			return -1;
	return 0;
}

/* close_all returns 1 if all are closed; 0 if one has messages: then it has opened all again. */
static int close_all(struct queue *q, const char *number, const char *closed, struct err *e)
{
	struct shards_said said = {.done = false};

	for (int i = 0; i < q->shards; i++) {
		if (shards_change(shards_at(q, i), number, closed, &said, e) < 0)
			return -1;
		if (!said.done)
			return reopen(q, i, number, closed, e);
	}
	return 1;
}

int shards_dissolve(struct queue *q, bool *gone, char generation[NAME_TOKEN_MAX + 1], struct err *e)
{
	struct shards_said said = {.done = false};
	char number[16], closed[16];
	int status;

	*gone = false;
	generation[0] = '\0';
	snprintf(number, sizeof number, "%d", q->shards);
	snprintf(closed, sizeof closed, "%d-", q->shards);
	status = close_all(q, number, closed, e);
	for (int i = q->shards - 1; i >= 0 && status > 0; i--) {
		if (shards_change(shards_at(q, i), closed, "", &said, e) < 0)
			return -1;
		if (!said.done)
			return 0; /* another client has opened it again */
		if (strlen(said.generation) > strlen(generation) || strcmp(said.generation, generation) > 0)
			strcpy(generation, said.generation);
	}
	*gone = status > 0;
	return status < 0 ? -1 : 0;
}
