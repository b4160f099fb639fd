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

#define PART (1 << 20) /* bytes gathered before a write */

struct entry {
	int64_t at; /* server's ms */
	union {
		size_t from;      /* where its line begins in lines, while these grow */
		const char *line; /* as it is printed; then */
	};
	int state; /* its place in states */
};

struct run {
	const struct keys *k;
	const struct queue *queue;
	struct entry *entries;
	size_t count, room;
	struct buf lines; /* of all entries, each with its NUL: there may be a million */
	struct buf out;   /* not yet written */
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
	free(r->entries);
	r->entries = NULL;
	r->lines.len = 0;
	r->count = r->room = 0;
}

static int add_line(struct run *r, const char *state, const struct listed *m)
{
	int status;

	if (r->k->json)
		status = describe_listed_json(&r->lines, r->queue->name, state, m);
	else
		status = describe_listed(&r->lines, r->queue->name, *state ? state : "-", m,
					 r->k->terminal);
	return status == 0 ? buf_char(&r->lines, '\0') : -1;
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
	*entry = (struct entry){.at = m->at, .from = r->lines.len};
	while (strcmp(states[entry->state], state) != 0 && entry->state < STATES - 1)
		entry->state++;
	if (add_line(r, state, m) < 0)
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

/* write_out: with the rest, all. */
static int write_out(struct run *r, bool rest)
{
	int status = rest || r->out.len >= PART ? failed_write(&r->status, &r->out) : 0;

	if (rest || r->out.len >= PART)
		r->out.len = 0;
	return status;
}

/* write_entries writes the lines; in JSON they are the elements of a list. */
static int write_entries(struct run *r)
{
	for (size_t i = 0; i < r->count; i++) {
		const char *line = r->entries[i].line;
		if ((r->k->json && i && buf_char(&r->out, ',') < 0) ||
		    /* without its line feed */
		    buf_add(&r->out, line, r->k->json ? strcspn(line, "\n") : strlen(line)) < 0)
			return out_of_memory(r);
		if (write_out(r, false) < 0)
			return -1;
	}
	return 0;
}

static int write_json(struct run *r)
{
	if (buf_format(&r->out, "{\"queue\":\"%s\",\"key\":\"%s\",\"messages\":{",
		       r->queue->name, r->k->key) < 0 ||
	    add_counts(r, true, &r->out) < 0 || buf_text(&r->out, "},\"list\":[") < 0)
		return out_of_memory(r);
	if (write_entries(r) < 0)
		return -1;
	return buf_text(&r->out, "]}\n") < 0 ? out_of_memory(r) : 0;
}

static int show(struct run *r)
{
	for (size_t i = 0; i < r->count; i++)
		r->entries[i].line = r->lines.bytes + r->entries[i].from;
	if (r->count)
		qsort(r->entries, r->count, sizeof *r->entries, compare);
	if ((r->k->json ? write_json : write_entries)(r) < 0)
		return -1;
	return write_out(r, true);
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
	buf_free(&r.lines);
	buf_free(&r.out);
	return worse(status, r.status);
}
