#include "families.h"

#include <stdio.h>
#include <string.h>

#include "column.h"
#include "../limited.h"
#include "../table/counts.h"
#include "family.h"

/* --- of queues: numbers are stored, and formatted when they are written: the text of 100,000
 * queues has 200 MB --- */

static int keep(struct families *f, size_t family, int64_t number)
{
	return column_add(&f->samples[family], number);
}

/* keep_some: a queue has no sample if the number is -1. */
static int keep_some(struct families *f, size_t family, int64_t number)
{
	f->any[family] = f->any[family] || number >= 0;
	return keep(f, family, number + 1);
}

static int keep_limits(struct families *f, const struct queue_counts *c)
{
	bool rate = c->rate >= 0;

	if (keep(f, FAMILY_LIMITED, limited_holds(c)) < 0 ||
	    keep(f, FAMILY_USED_UP, limited_at_work(c)) < 0 ||
	    keep_some(f, FAMILY_MAX_LEASED, c->max_leased) < 0 ||
	    keep_some(f, FAMILY_RATE, c->rate) < 0 ||
	    keep_some(f, FAMILY_RATE_SPAN, rate ? c->rate_ms : -1) < 0 ||
	    keep_some(f, FAMILY_BEGUN, rate ? c->begun : -1) < 0 ||
	    keep_some(f, FAMILY_MAX_LEN, c->max_len) < 0 ||
	    keep_some(f, FAMILY_SERIAL, c->keys ? c->keys >= KEYS_SERIAL : -1) < 0 ||
	    keep_some(f, FAMILY_KEY_LIMIT, c->key_limit) < 0)
		return -1;
	return keep_some(f, FAMILY_UNTIL, c->until);
}

static int64_t span(const struct queue_counts *c, enum metric m)
{
	int64_t ms = metric_value(c, m);

	return ms < 0 ? 0 : ms;
}

/* Powers of two of ms that are about a decade apart. */
static const int bounds[] = {0, 3, 6, 10, 13, 16, 20, 23, 26, 29};
#define BOUNDS (sizeof bounds / sizeof *bounds)

static int keep_lateness(struct families *f, const struct queue_counts *c)
{
	int64_t late[LATENESS_MAX + 1], sum = 0;
	int k = 0;

	counts_lateness(c, late);
	for (size_t i = 0; i < BOUNDS; i++) {
		while (k <= bounds[i])
			sum += late[k++];
		if (keep(f, FAMILY_LATENESS, sum) < 0)
			return -1;
	}
	while (k <= LATENESS_MAX)
		sum += late[k++];
	return keep(f, FAMILY_LATENESS, sum);
}

int families_queue(struct families *f, const char *queue, const struct queue_counts *c)
{
	if (buf_add(&f->names, queue, strlen(queue) + 1) < 0)
		return -1;
	f->queues++;
	for (enum metric m = METRIC_DELAYED; m <= METRIC_DEAD; m++)
		if (keep(f, FAMILY_MESSAGES, metric_value(c, m)) < 0)
			return -1;
	for (size_t i = FAMILY_COUNTERS; i < FAMILIES; i++)
		if (keep(f, i, counts_counter(c, family_at(i)->counter)) < 0)
			return -1;
	if (keep_some(f, FAMILY_NEXT_DUE, c->next_due) < 0 ||
	    keep(f, FAMILY_EXPIRED, c->expired) < 0 || keep_limits(f, c) < 0 ||
	    keep(f, FAMILY_PAUSED, limited_paused(c)) < 0 ||
	    keep(f, FAMILY_OLDEST, span(c, METRIC_OLDEST)) < 0 ||
	    keep(f, FAMILY_FREE, span(c, METRIC_FREE)) < 0 ||
	    keep(f, FAMILY_BLOCKED, span(c, METRIC_BLOCKED)) < 0 ||
	    keep(f, FAMILY_PAUSED_KEYS, c->paused_keys) < 0 ||
	    keep(f, FAMILY_PAUSED_MESSAGES, c->paused_messages) < 0 ||
	    keep(f, FAMILY_LATE, span(c, METRIC_LATE)) < 0 ||
	    keep(f, FAMILY_RETRYING, c->retrying) < 0 ||
	    keep(f, FAMILY_FAILING, span(c, METRIC_FAILING)) < 0 ||
	    keep(f, FAMILY_HELD, c->held) < 0)
		return -1;
	return keep_lateness(f, c);
}

/* Each adds the samples of a queue: the next numbers of the column, from *at on. */
static int add_count(struct buf *out, const char *name, const char *queue, const char **at)
{
	return buf_format(out, "%s{queue=\"%s\"} %lld\n", name, queue, (long long)column_next(at));
}

static int add_ms(struct buf *out, const char *name, const char *queue, int64_t ms)
{
	char text[METRIC_TEXT];

	metric_seconds(ms, text);
	return buf_format(out, "%s{queue=\"%s\"} %s\n", name, queue, text);
}

static int add_seconds(struct buf *out, const char *name, const char *queue, const char **at)
{
	return add_ms(out, name, queue, column_next(at));
}

static int add_some_seconds(struct buf *out, const char *name, const char *queue, const char **at)
{
	int64_t ms = column_next(at) - 1;

	return ms < 0 ? 0 : add_ms(out, name, queue, ms);
}

static int add_some_count(struct buf *out, const char *name, const char *queue, const char **at)
{
	int64_t n = column_next(at) - 1;

	return n < 0 ? 0 : buf_format(out, "%s{queue=\"%s\"} %lld\n", name, queue, (long long)n);
}

static int add_messages(struct buf *out, const char *name, const char *queue, const char **at)
{
	for (enum metric m = METRIC_DELAYED; m <= METRIC_DEAD; m++)
		if (buf_format(out, "%s{queue=\"%s\",state=\"%s\"} %lld\n", name, queue,
			       metric_name(m), (long long)column_next(at)) < 0)
			return -1;
	return 0;
}

static int add_lateness(struct buf *out, const char *name, const char *queue, const char **at)
{
	char le[METRIC_TEXT];
	long long sum;

	for (size_t i = 0; i < BOUNDS; i++) {
		metric_seconds(INT64_C(1) << bounds[i], le);
		if (buf_format(out, "%s_bucket{queue=\"%s\",le=\"%s\"} %lld\n", name, queue, le,
			       (long long)column_next(at)) < 0)
			return -1;
	}
	sum = (long long)column_next(at);
	return buf_format(out,
			  "%s_bucket{queue=\"%s\",le=\"+Inf\"} %lld\n%s_count{queue=\"%s\"} %lld\n",
			  name, queue, sum, name, queue, sum);
}

/* --- of the server: formatted at once --- */

/* add_label: the values come from the server, and server_shown makes them ASCII
 * without line breaks. */
static int add_label(struct buf *out, const char *label, const struct server *s, const char *field)
{
	char shown[120];

	server_shown(s, field, shown, sizeof shown);
	if (buf_format(out, "%s=\"", label) < 0)
		return -1;
	for (const char *c = shown; *c; c++)
		if (((*c == '"' || *c == '\\') && buf_char(out, '\\') < 0) || buf_char(out, *c) < 0)
			return -1;
	return buf_char(out, '"');
}

/* add_value: only a node of a cluster needs a label. */
static int add_value(struct families *f, size_t family, const char *node, const char *value)
{
	const char *name = family_at(family)->name;

	return node ? buf_format(&f->samples[family], "%s{node=\"%s\"} %s\n", name, node, value)
		    : buf_format(&f->samples[family], "%s %s\n", name, value);
}

static int add_integer(struct families *f, size_t family, const char *node, int64_t n)
{
	char text[24];

	snprintf(text, sizeof text, "%lld", (long long)n);
	return n < 0 ? 0 : add_value(f, family, node, text);
}

static int add_number(struct families *f, size_t family, const struct server_reply *t,
		      const char *field)
{
	return add_integer(f, family, t->node, server_number(t->server, field, -1));
}

int families_server(struct families *f, const struct server_reply *t)
{
	const struct server *s = t->server;
	struct buf *info = &f->samples[FAMILY_SERVER];
	bool valkey = server_is(s, "server_name", "valkey");
	char text[METRIC_TEXT];

	if (buf_format(info, "%s{name=\"%s\",", family_at(FAMILY_SERVER)->name,
		       valkey ? "Valkey" : "Redis") < 0 ||
	    add_label(info, "version", s, valkey ? "valkey_version" : "redis_version") < 0 ||
	    buf_char(info, ',') < 0 || add_label(info, "role", s, "role") < 0 ||
	    (t->node && buf_format(info, ",node=\"%s\"", t->node) < 0) ||
	    buf_text(info, "} 1\n") < 0)
		return -1;
	metric_seconds(s->ahead, text);
	if (s->clock && add_value(f, FAMILY_CLOCK, t->node, text) < 0)
		return -1;
	if (t->node && add_integer(f, FAMILY_SLOTS_OF_NODE, t->node, t->slots) < 0)
		return -1;
	if (add_number(f, FAMILY_UPTIME, t, "uptime_in_seconds") < 0 ||
	    add_number(f, FAMILY_MEMORY, t, "used_memory") < 0 ||
	    add_number(f, FAMILY_MEMORY_MAX, t, "maxmemory") < 0 ||
	    add_number(f, FAMILY_CLIENTS, t, "connected_clients") < 0 ||
	    add_number(f, FAMILY_CLIENTS_MAX, t, "maxclients") < 0)
		return -1;
	return 0;
}

int families_cluster(struct families *f, int unassigned)
{
	return add_integer(f, FAMILY_SLOTS_OF_NONE, NULL, unassigned);
}

/* --- out --- */

#define CHUNK 65536

struct writing {
	struct buf text;
	families_write_fn *write;
	void *ctx;
};

/* flush writes the gathered text, if it has at least that many bytes. */
static int flush(struct writing *w, size_t least, struct err *e)
{
	int status = w->text.len > 0 && w->text.len >= least ?
			     w->write(w->ctx, w->text.bytes, w->text.len, e) :
			     0;

	if (w->text.len >= least)
		w->text.len = 0;
	return status;
}

static int write_column(const struct families *f, size_t family, struct writing *w, struct err *e)
{
	static int (*const adders[FAMILY_COUNTERS])(struct buf *out, const char *name,
						    const char *queue, const char **at) = {
		[FAMILY_MESSAGES] = add_messages, [FAMILY_OLDEST] = add_seconds,
		[FAMILY_FREE] = add_seconds, [FAMILY_BLOCKED] = add_seconds,
		[FAMILY_LATE] = add_seconds, [FAMILY_FAILING] = add_seconds,
		[FAMILY_LATENESS] = add_lateness, [FAMILY_NEXT_DUE] = add_some_seconds,
		[FAMILY_RATE] = add_some_count, [FAMILY_BEGUN] = add_some_count,
		[FAMILY_RATE_SPAN] = add_some_seconds, [FAMILY_MAX_LEASED] = add_some_count,
		[FAMILY_MAX_LEN] = add_some_count, [FAMILY_SERIAL] = add_some_count,
		[FAMILY_KEY_LIMIT] = add_some_count, [FAMILY_UNTIL] = add_some_seconds,
	};
	const char *at = f->samples[family].bytes, *name = f->names.bytes;

	for (size_t i = 0; i < f->queues; i++) {
		int (*add)(struct buf *, const char *, const char *, const char **) = add_count;
		if (family < FAMILY_COUNTERS && adders[family])
			add = adders[family];
		if (add(&w->text, family_at(family)->name, name, &at) < 0)
			return err_memory(e);
		if (flush(w, CHUNK, e) < 0)
			return -1;
		name += strlen(name) + 1;
	}
	return 0;
}

/* is_empty: no queue has a sample of it; such a column has numbers all the same. */
static bool is_empty(const struct families *f, size_t family)
{
	bool some = family == FAMILY_NEXT_DUE ||
		    (family >= FAMILY_MAX_LEASED && family <= FAMILY_UNTIL);

	return f->samples[family].len == 0 || (some && !f->any[family]);
}

static int write_family(const struct families *f, size_t family, struct writing *w, struct err *e)
{
	const struct buf *samples = &f->samples[family];

	if (is_empty(f, family))
		return 0;
	if (family_head(family, &w->text) < 0)
		return err_memory(e);
	if (family_is_of_queues(family))
		return write_column(f, family, w, e);
	return buf_add(&w->text, samples->bytes, samples->len) < 0 ? err_memory(e) :
								     flush(w, CHUNK, e);
}

int families_write(struct families *f, families_write_fn *write, void *ctx, struct err *e)
{
	struct writing w = {.write = write, .ctx = ctx};
	char read[METRIC_TEXT];
	int status = 0;

	metric_seconds(f->read_at, read);
	if (add_value(f, FAMILY_WRITTEN, NULL, read) < 0 ||
	    buf_format(&f->samples[FAMILY_QUEUES], "%s %zu\n", family_at(FAMILY_QUEUES)->name,
		       f->queues) < 0)
		status = err_memory(e);
	for (size_t i = 0; status == 0 && i < FAMILIES; i++)
		status = write_family(f, i, &w, e);
	if (status == 0)
		status = flush(&w, 0, e);
	buf_free(&w.text);
	return status;
}

void families_free(struct families *f)
{
	for (size_t i = 0; i < FAMILIES; i++)
		buf_free(&f->samples[i]);
	buf_free(&f->names);
}
