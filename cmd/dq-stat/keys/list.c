#include <stdio.h>

#include "../failed.h"
#include "../table/table.h"
#include "base/duration.h"
#include "base/text.h"
#include "keys.h"
#include "queue/stat.h"
#include "rows.h"
#include "tool/die.h"
#include "tool/queues.h"

struct run {
	const struct keys *k;
	enum status status;
};

static int add_titles(struct table *t)
{
	static const char *const titles[] = {"KEY", "READY", "LEASED", "TRIED", "DEAD", "AGE",
					     "BLOCKED"};

	for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
		if (table_cell(t, titles[i]) < 0)
			return -1;
	return 0;
}

/* add_number: less than 0: not known. */
static int add_number(struct table *t, int64_t n)
{
	char text[24];

	snprintf(text, sizeof text, "%lld", (long long)n);
	return table_cell(t, n < 0 ? "-" : text);
}

/* age: how long the first ready message of the key has been due; -1: none is ready. */
static int64_t age(const struct key_row *row, int64_t now)
{
	return row->due < 0 ? -1 : now > row->due ? now - row->due : 0;
}

static int add_row(struct table *t, const struct key_row *row, int64_t now)
{
	char span[DURATION_TEXT];

	duration_age(age(row, now), span);
	if (table_cell(t, *row->key ? row->key : "-") < 0 || add_number(t, row->ready) < 0 ||
	    add_number(t, row->leased) < 0 || add_number(t, row->tried) < 0 ||
	    add_number(t, row->dead) < 0 || table_cell(t, span) < 0)
		return -1;
	return table_cell(t, row->blocked ? blocked_word(row->blocked) : "-");
}

static int add_json(struct buf *out, const char *queue, const struct key_row *row, int64_t now)
{
	if (buf_format(out, "{\"queue\":\"%s\",\"key\":", queue) < 0 ||
	    (*row->key ? buf_format(out, "\"%s\"", row->key) : buf_text(out, "null")) < 0 ||
	    text_number(out, "ready", row->ready) < 0 ||
	    text_number(out, "leased", *row->key ? row->leased : -1) < 0 ||
	    text_number(out, "tried", *row->key ? row->tried : -1) < 0 ||
	    text_number(out, "dead", row->dead) < 0 || text_number(out, "due_ms", row->due) < 0 ||
	    text_number(out, "priority", row->priority) < 0 ||
	    text_number(out, "age_ms", age(row, now)) < 0)
		return -1;
	if (buf_format(out, ",\"in_turn\":%s,\"blocked\":", row->in_turn ? "true" : "false") < 0)
		return -1;
	return row->blocked ? buf_format(out, "\"%s\"}\n", blocked_word(row->blocked)) :
			      buf_text(out, "null}\n");
}

/* format adds all rows that are to be shown. */
static int format(const struct keys *k, const char *queue, const struct key_rows *rows, int64_t now,
		  struct buf *out)
{
	struct table table = {.columns = 7};
	size_t count = k->limit >= 0 && (size_t)k->limit < rows->count ? (size_t)k->limit :
									 rows->count;
	int status = k->json || !k->header ? 0 : add_titles(&table);

	for (size_t i = 0; i < count && status == 0; i++)
		status = k->json ? add_json(out, queue, &rows->rows[i], now) :
				   add_row(&table, &rows->rows[i], now);
	if (status == 0)
		status = table_write(&table, out);
	table_free(&table);
	return status;
}

static int show(struct run *r, struct queue *q, const struct key_rows *rows, int64_t now)
{
	struct buf out = {NULL, 0, 0};
	int status;

	if (format(r->k, q->name, rows, now, &out) < 0) {
		warn("out of memory");
		r->status = worse(r->status, DQ_TEMPORARY);
		status = -1;
	} else {
		status = out.len ? failed_write(&r->status, &out) : 0;
	}
	buf_free(&out);
	return status;
}

static int list_queue(void *ctx, struct queue *q)
{
	struct run *r = ctx;
	struct queue_counts counts;
	struct key_rows rows = {.count = 0};
	struct err e;
	int status = queue_stat(q, &counts, &e);
	int64_t now = counts.now;
	bool doubt = status == 0 && counts.counters == 0;

	queue_counts_free(&counts);
	if (status == 0)
		status = key_rows_read(q, &rows, &e);
	if (status == 0) {
		queue_set_commit(r->k->all);
		status = doubt ? failed_absent(&r->status, q, r->k->quiet) : show(r, q, &rows, now);
	} else if (queue_set_put_off(r->k->all, q, &e)) {
		status = 0;
	} else {
		status = failed_show(&r->status, q->x, q->name, NULL, &e);
	}
	key_rows_free(&rows);
	return status;
}

enum status keys_list(const struct keys *k)
{
	struct run r = {.k = k, .status = DQ_DONE};
	enum status status;

	queue_set_moving_last(k->all);
	status = queues_each(k->all, k->names, list_queue, &r);
	return worse(status, r.status);
}
