#include <stdlib.h>
#include <string.h>

#include "../describe.h"
#include "../failed.h"
#include "keys.h"
#include "message/keyed.h"
#include "tool/die.h"
#include "tool/notice.h"
#include "tool/queues.h"

/* In the order of the list; the last one is none. */
static const char *const states[] = {"leased", "ready", "due", "delayed", "dead", ""};
enum { STATES = sizeof states / sizeof *states };

struct entry {
	int state;  /* its place in states */
	int64_t at; /* server's ms */
	char *line; /* as it is printed */
};

struct run {
	const struct keys *k;
	const struct queue *queue;
	struct entry *entries;
	size_t count, room;
	enum status status;
};

static int out_of_memory(struct run *r)
{
	warn("out of memory");
	r->status = worse(r->status, DQ_TEMPORARY);
	return -1;
}

static void drop(struct run *r)
{
	for (size_t i = 0; i < r->count; i++)
		free(r->entries[i].line);
	free(r->entries);
	r->entries = NULL;
	r->count = r->room = 0;
}

/* line_of returns the line of a message; NULL: out of memory. */
static char *line_of(const struct run *r, const char *state, const struct listed *m)
{
	struct buf out = {NULL, 0, 0};
	int status;

	if (r->k->json)
		status = describe_listed_json(&out, r->queue->name, state, m);
	else
		status = describe_listed(&out, r->queue->name, *state ? state : "-", m,
					 r->k->terminal);
	if (status == 0)
		status = buf_char(&out, '\0');
	if (status == 0)
		return out.bytes;
	buf_free(&out);
	return NULL;
}

static int on_message(void *ctx, const char *state, const struct listed *m)
{
	struct run *r = ctx;
	struct entry *entry;

	if (r->count == r->room) {
		size_t room = r->room ? r->room * 2 : 64;
		struct entry *more = realloc(r->entries, room * sizeof *more);
		if (!more)
			return out_of_memory(r);
		r->entries = more;
		r->room = room;
	}
	entry = &r->entries[r->count];
	*entry = (struct entry){.at = m->at, .line = line_of(r, state, m)};
	while (strcmp(states[entry->state], state) != 0 && entry->state < STATES - 1)
		entry->state++;
	if (!entry->line)
		return out_of_memory(r);
	r->count++;
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->state != y->state)
		return x->state - y->state;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return strcmp(x->line, y->line);
}

static size_t count_of(const struct run *r, const char *state)
{
	size_t n = 0;

	for (size_t i = 0; i < r->count; i++)
		n += !strcmp(states[r->entries[i].state], state);
	return n;
}

/* add_counts adds how many there are in each state, as members or words. */
static int add_counts(const struct run *r, bool json, struct buf *out)
{
	int status = 0;

	for (int i = 0; listing_states[i] && status == 0; i++) {
		const char *state = listing_states[i];
		if (json)
			status = buf_format(out, "%s\"%s\":%zu", i ? "," : "", state,
					    count_of(r, state));
		else
			status = buf_format(out, "%s%zu %s", i ? ", " : "", count_of(r, state),
					    state);
	}
	return status;
}

/* add_entries adds the lines; in JSON they are the elements of a list. */
static int add_entries(const struct run *r, struct buf *out)
{
	int status = 0;

	for (size_t i = 0; i < r->count && status == 0; i++) {
		const char *line = r->entries[i].line;
		if (r->k->json) /* without its line feed */
			status = buf_format(out, "%s%.*s", i ? "," : "", (int)strcspn(line, "\n"),
					    line);
		else
			status = buf_text(out, line);
	}
	return status;
}

static int add_json(const struct run *r, struct buf *out)
{
	if (buf_format(out, "{\"queue\":\"%s\",\"key\":\"%s\",\"messages\":{", r->queue->name,
		       r->k->key) < 0 ||
	    add_counts(r, true, out) < 0 || buf_text(out, "},\"list\":[") < 0 ||
	    add_entries(r, out) < 0)
		return -1;
	return buf_text(out, "]}\n");
}

static int show(struct run *r)
{
	struct buf out = {NULL, 0, 0};
	int status;

	if (r->count)
		qsort(r->entries, r->count, sizeof *r->entries, compare);
	status = (r->k->json ? add_json : add_entries)(r, &out);
	status = status < 0 ? out_of_memory(r) : failed_write(&r->status, &out);
	buf_free(&out);
	return status;
}

/* report: of each state, on standard error. */
static int report(struct run *r)
{
	struct buf counts = {NULL, 0, 0};
	int status = add_counts(r, false, &counts);

	if (status == 0)
		status = buf_char(&counts, '\0');
	if (status == 0)
		warn("%s: key %s: %s", r->queue->name, r->k->key, counts.bytes);
	buf_free(&counts);
	return status < 0 ? out_of_memory(r) : 0;
}

/* show_none: the queue may not exist. */
static int show_none(struct run *r, struct queue *q)
{
	enum status before = r->status;

	if (failed_absent(&r->status, q, r->k->quiet) < 0)
		return -1;
	if (r->status == before && !r->k->quiet)
		warn("%s: no message has the key %s", q->name, r->k->key);
	r->status = worse(r->status, DQ_NO);
	return r->k->json && r->status == DQ_NO ? show(r) : 0;
}

static int show_some(struct run *r)
{
	int status = show(r);

	return status == 0 && r->k->verbose ? report(r) : status;
}

static int list_queue(void *ctx, struct queue *q)
{
	struct run *r = ctx;
	struct err e;
	int status;

	r->queue = q;
	status = keyed_find(q, r->k->key, on_message, r, &e);
	notice_say(q);
	if (status == 0) {
		queue_set_commit(r->k->all);
		status = r->count ? show_some(r) : show_none(r, q);
	} else if (e.status == DQ_REPORTED || queue_set_put_off(r->k->all, q, &e)) {
		status = e.status == DQ_REPORTED ? -1 : 0;
	} else {
		status = failed_show(&r->status, q->x, q->name, NULL, &e);
	}
	drop(r);
	return status;
}

enum status keys_messages(const struct keys *k)
{
	struct run r = {.k = k, .status = DQ_DONE};
	enum status status;

	queue_set_moving_last(k->all);
	status = queues_each(k->all, k->names, list_queue, &r);
	return worse(status, r.status);
}
