#include "rows.h"

#include <hiredis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "queue/shards.h"
#include "redis/reply.h"
#include "tool/stop.h"

#define PAGE 500

/* The reply of the script has these for each key. */
enum { KEY, READY, LEASED, TRIED, DEAD, DUE, PRIORITY, IN_TURN, BLOCKED, WIDTH };

/* The position in a shard. */
struct position {
	char key[NAME_MAX_BYTES + 1]; /* the last one; "" at first */
	size_t found;                 /* keys of the last page */
};

static bool is_row(struct redisReply **r, const char *before)
{
	for (int i = READY; i < WIDTH; i++)
		if (!reply_is_number(r[i]))
			return false;
	if (r[BLOCKED]->integer < BLOCKED_NOT || r[BLOCKED]->integer > BLOCKED_UNKNOWN)
		return false;
	if (r[KEY]->type != REDIS_REPLY_STRING)
		return false;
	if (r[KEY]->len == 0)
		return !*before;
	return name_key_valid(r[KEY]->str, r[KEY]->len) && strcmp(r[KEY]->str, before) > 0;
}

/* is_page: its keys grow, so that the listing ends. */
static bool is_page(const struct redisReply *reply, const char *before)
{
	if (reply->type != REDIS_REPLY_ARRAY || reply->elements % WIDTH)
		return false;
	for (size_t i = 0; i < reply->elements; i += WIDTH) {
		if (!is_row(reply->element + i, before))
			return false;
		before = reply->element[i + KEY]->str;
	}
	return true;
}

/* add returns the new last row; NULL: out of memory. */
static struct key_row *add(struct key_rows *rows, const char *key)
{
	struct key_row *row;

	if (rows->count == rows->room) {
		size_t room = rows->room ? rows->room * 2 : 256;
		struct key_row *more = realloc(rows->rows, room * sizeof *more);
		if (!more)
			return NULL;
		rows->rows = more;
		rows->room = room;
	}
	row = &rows->rows[rows->count++];
	*row = (struct key_row){.dead = -1, .due = -1, .priority = -1};
	snprintf(row->key, sizeof row->key, "%s", key);
	return row;
}

static bool is_before(int64_t priority, int64_t due, const struct key_row *row)
{
	return due >= 0 && (row->due < 0 || priority < row->priority ||
			    (priority == row->priority && due < row->due));
}

/* add_row: the messages without a key are in all shards, and are one row, the first one. */
static int add_row(struct key_rows *rows, struct redisReply **r)
{
	struct key_row *row = r[KEY]->len ? add(rows, r[KEY]->str) : rows->rows;

	if (!row)
		return -1;
	row->ready += r[READY]->integer;
	row->leased += r[LEASED]->integer;
	row->tried += r[TRIED]->integer;
	row->dead = r[DEAD]->integer;
	row->in_turn = row->in_turn || r[IN_TURN]->integer;
	row->blocked = (enum key_blocked)r[BLOCKED]->integer;
	if (is_before(r[PRIORITY]->integer, r[DUE]->integer, row)) {
		row->priority = r[PRIORITY]->integer;
		row->due = r[DUE]->integer;
	}
	return 0;
}

static int read_page(struct key_rows *rows, struct queue *shard, struct position *at, struct err *e)
{
	struct call call = {0};
	char limit[16];
	int status;

	snprintf(limit, sizeof limit, "%d", PAGE);
	at->found = 0;
	queue_call(&call, &script_keys, shard);
	call_text(&call, "list");
	call_text(&call, at->key);
	call_text(&call, limit);
	status = exchange_run(shard->x, &call, NULL, e);
	if (status == 0 && !is_page(call.reply, at->key))
		status = call_unexpected(&call, e);
	for (size_t i = 0; status == 0 && i < call.reply->elements; i += WIDTH) {
		struct redisReply **r = call.reply->element + i;
		status = add_row(rows, r) < 0 ? err_memory(e) : 0;
		at->found += r[KEY]->len > 0;
		snprintf(at->key, sizeof at->key, "%s", r[KEY]->str);
	}
	call_free(&call);
	return status;
}

/* read_shard: if the queue has another number of shards, all begins anew with shard 0. */
static int read_shard(void *ctx, struct queue *shard, struct err *e)
{
	struct position at = {.key = ""};
	int status;

	if (shard->shard == 0) {
		key_rows_free(ctx);
		if (!add(ctx, ""))
			return err_memory(e);
	}
	do
		status = read_page(ctx, shard, &at, e);
	while (status == 0 && at.found == PAGE && !stop_signal());
	return status;
}

static int compare(const void *a, const void *b)
{
	const struct key_row *x = a, *y = b;

	if (x->ready != y->ready)
		return x->ready < y->ready ? 1 : -1;
	if (x->leased != y->leased)
		return x->leased < y->leased ? 1 : -1;
	return strcmp(x->key, y->key);
}

int key_rows_read(struct queue *q, struct key_rows *out, struct err *e)
{
	if (shards_each(q, read_shard, out, e) < 0)
		return -1;
	if (out->rows[0].ready == 0)
		out->rows[0] = out->rows[--out->count];
	qsort(out->rows, out->count, sizeof *out->rows, compare);
	return 0;
}

void key_rows_free(struct key_rows *rows)
{
	free(rows->rows);
	*rows = (struct key_rows){.count = 0};
}
