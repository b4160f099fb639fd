#include "families.h"

#include <stdio.h>
#include <string.h>

#include "base/column.h"
#include "counts.h"

struct family {
	const char *name, *type, *help;
	const char *counter; /* of the queue, NULL: it is not one of its counters */
};

enum {
	QUEUES,
	MESSAGES,
	EXPIRED,
	PAUSED,
	OLDEST,
	LATE,
	NEXT_DUE,
	LATENESS,
	SERVER,
	CLOCK,
	UPTIME,
	MEMORY,
	MEMORY_MAX,
	CLIENTS,
	CLIENTS_MAX,
	SLOTS_OF_NODE,
	SLOTS_OF_NONE,
	COUNTERS
};

static const struct family families[] = {
	[QUEUES] = {"dq_queues", "gauge", "Queues that are shown.", NULL},
	[MESSAGES] = {"dq_queue_messages", "gauge", "Messages of the queue, by state.", NULL},
	[EXPIRED] = {"dq_queue_expired_messages", "gauge", "Expired messages among the delayed, due and ready.", NULL},
	[PAUSED] = {"dq_queue_paused", "gauge", "1 if consumers of the queue get nothing.", NULL},
	[OLDEST] = {"dq_queue_oldest_ready_seconds", "gauge", "How long the oldest ready message has been due; 0: none.", NULL},
	[LATE] = {"dq_queue_late_seconds", "gauge", "How long the oldest due message, not yet ready, has been due; 0: none.", NULL},
	[NEXT_DUE] = {"dq_queue_next_due_timestamp_seconds", "gauge", "When the next delayed message is due.", NULL},
	[LATENESS] = {"dq_delivery_lateness_seconds", "histogram", "How late deliveries were; there is no sum.", NULL},
	[SERVER] = {"dq_server_info", "gauge", "The server that answered.", NULL},
	[CLOCK] = {"dq_server_clock_offset_seconds", "gauge", "How far the server's clock is ahead of the local one.", NULL},
	[UPTIME] = {"dq_server_uptime_seconds", "gauge", "How long the server has been running.", NULL},
	[MEMORY] = {"dq_server_memory_used_bytes", "gauge", "Memory that the server uses.", NULL},
	[MEMORY_MAX] = {"dq_server_memory_max_bytes", "gauge", "maxmemory of the server; 0: no limit.", NULL},
	[CLIENTS] = {"dq_server_connected_clients", "gauge", "Connections of the server.", NULL},
	[CLIENTS_MAX] = {"dq_server_max_clients", "gauge", "maxclients of the server.", NULL},
	[SLOTS_OF_NODE] = {"dq_server_slots", "gauge", "Slots of the cluster that this node has.", NULL},
	[SLOTS_OF_NONE] = {"dq_cluster_unassigned_slots", "gauge", "Slots of the cluster that no node has.", NULL},
	[COUNTERS] = {"dq_messages_put_total", "counter", "Messages put.", "put"},
	{"dq_messages_promoted_total", "counter", "Messages made ready because they were due.", "promoted"},
	{"dq_messages_taken_total", "counter", "Deliveries.", "taken"},
	{"dq_messages_acked_total", "counter", "Deliveries that succeeded.", "acked"},
	{"dq_messages_retried_total", "counter", "Deliveries that failed and are tried again.", "retried"},
	{"dq_messages_given_back_total", "counter", "Deliveries that were given back.", "given_back"},
	{"dq_messages_removed_total", "counter", "Messages removed.", "removed"},
	{"dq_messages_redriven_total", "counter", "Dead messages made ready again.", "redriven"},
	{"dq_messages_purged_total", "counter", "Dead messages purged.", "purged"},
	{"dq_messages_dead_total", "counter", "Messages that became dead.", "dead"},
	{"dq_messages_expired_total", "counter", "Expired messages removed.", "expired"},
	{"dq_leases_extended_total", "counter", "Leases extended.", "extended"},
	{"dq_leases_released_total", "counter", "Leases ended by an operator.", "released"},
	{"dq_leases_expired_total", "counter", "Leases that expired.", "expired_leases"},
};

#define FAMILIES (sizeof families / sizeof *families)
_Static_assert(FAMILIES <= FAMILIES_MAX, "struct families has room for them");

/* --- of queues: the numbers are kept, and become text when they are written: 100,000 queues are 200 MB of text --- */

static int keep(struct families *f, size_t family, int64_t number)
{
	return column_add(&f->samples[family], number);
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
		if (keep(f, LATENESS, sum) < 0)
			return -1;
	}
	while (k <= LATENESS_MAX)
		sum += late[k++];
	return keep(f, LATENESS, sum);
}

int families_queue(struct families *f, const char *queue, const struct queue_counts *c)
{
	if (buf_add(&f->names, queue, strlen(queue) + 1) < 0)
		return -1;
	f->queues++;
	for (enum metric m = METRIC_DELAYED; m <= METRIC_DEAD; m++)
		if (keep(f, MESSAGES, metric_value(c, m)) < 0)
			return -1;
	for (size_t i = COUNTERS; i < FAMILIES; i++)
		if (keep(f, i, counts_counter(c, families[i].counter)) < 0)
			return -1;
	f->next_due = f->next_due || c->next_due >= 0;
	return keep(f, NEXT_DUE, c->next_due + 1) < 0 || keep(f, EXPIRED, c->expired) < 0 || keep(f, PAUSED, counts_is_paused(c)) < 0 ||
			       keep(f, OLDEST, span(c, METRIC_OLDEST)) < 0 || keep(f, LATE, span(c, METRIC_LATE)) < 0
		       ? -1
		       : keep_lateness(f, c);
}

/* Each adds the samples of a queue, the next ones of the column, which begin at *at. */
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

static int add_next_due(struct buf *out, const char *name, const char *queue, const char **at)
{
	int64_t ms = column_next(at) - 1;

	return ms < 0 ? 0 : add_ms(out, name, queue, ms);
}

static int add_messages(struct buf *out, const char *name, const char *queue, const char **at)
{
	for (enum metric m = METRIC_DELAYED; m <= METRIC_DEAD; m++)
		if (buf_format(out, "%s{queue=\"%s\",state=\"%s\"} %lld\n", name, queue, metric_name(m), (long long)column_next(at)) < 0)
			return -1;
	return 0;
}

static int add_lateness(struct buf *out, const char *name, const char *queue, const char **at)
{
	char le[METRIC_TEXT];
	long long sum;

	for (size_t i = 0; i < BOUNDS; i++) {
		metric_seconds(INT64_C(1) << bounds[i], le);
		if (buf_format(out, "%s_bucket{queue=\"%s\",le=\"%s\"} %lld\n", name, queue, le, (long long)column_next(at)) < 0)
			return -1;
	}
	sum = (long long)column_next(at);
	return buf_format(out, "%s_bucket{queue=\"%s\",le=\"+Inf\"} %lld\n%s_count{queue=\"%s\"} %lld\n", name, queue, sum, name,
			  queue, sum);
}

/* --- of the server: text at once --- */

/* add_label: what the server says of itself is foreign; server_shown makes it ASCII without line breaks. */
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
	const char *name = families[family].name;

	return node ? buf_format(&f->samples[family], "%s{node=\"%s\"} %s\n", name, node, value)
		    : buf_format(&f->samples[family], "%s %s\n", name, value);
}

static int add_integer(struct families *f, size_t family, const char *node, int64_t n)
{
	char text[24];

	snprintf(text, sizeof text, "%lld", (long long)n);
	return n < 0 ? 0 : add_value(f, family, node, text);
}

static int add_number(struct families *f, size_t family, const struct told *t, const char *field)
{
	return add_integer(f, family, t->node, server_number(t->server, field, -1));
}

int families_server(struct families *f, const struct told *t)
{
	const struct server *s = t->server;
	struct buf *info = &f->samples[SERVER];
	bool valkey = server_is(s, "server_name", "valkey");
	char text[METRIC_TEXT];

	if (buf_format(info, "%s{name=\"%s\",", families[SERVER].name, valkey ? "Valkey" : "Redis") < 0 ||
	    add_label(info, "version", s, valkey ? "valkey_version" : "redis_version") < 0 || buf_char(info, ',') < 0 ||
	    add_label(info, "role", s, "role") < 0 || (t->node && buf_format(info, ",node=\"%s\"", t->node) < 0) ||
	    buf_text(info, "} 1\n") < 0)
		return -1;
	metric_seconds(s->ahead, text);
	if ((s->clock && add_value(f, CLOCK, t->node, text) < 0) || (t->node && add_integer(f, SLOTS_OF_NODE, t->node, t->slots) < 0))
		return -1;
	return add_number(f, UPTIME, t, "uptime_in_seconds") < 0 || add_number(f, MEMORY, t, "used_memory") < 0 ||
			       add_number(f, MEMORY_MAX, t, "maxmemory") < 0 ||
			       add_number(f, CLIENTS, t, "connected_clients") < 0 || add_number(f, CLIENTS_MAX, t, "maxclients") < 0
		       ? -1
		       : 0;
}

int families_cluster(struct families *f, int unassigned)
{
	return add_integer(f, SLOTS_OF_NONE, NULL, unassigned);
}

/* --- out --- */

#define CHUNK 65536

struct writing {
	struct buf text;
	families_write_fn *write;
	void *ctx;
};

/* flush passes on what has gathered, if there is a chunk of it. */
static int flush(struct writing *w, size_t least, struct err *e)
{
	int status = w->text.len > 0 && w->text.len >= least ? w->write(w->ctx, w->text.bytes, w->text.len, e) : 0;

	if (w->text.len >= least)
		w->text.len = 0;
	return status;
}

static int write_column(const struct families *f, size_t family, struct writing *w, struct err *e)
{
	static int (*const adders[COUNTERS])(struct buf *out, const char *name, const char *queue, const char **at) = {
		[MESSAGES] = add_messages, [OLDEST] = add_seconds,    [LATE] = add_seconds,
		[NEXT_DUE] = add_next_due, [LATENESS] = add_lateness,
	};
	const char *at = f->samples[family].bytes, *name = f->names.bytes;

	for (size_t i = 0; i < f->queues; i++) {
		int (*add)(struct buf *, const char *, const char *, const char **) = family < COUNTERS ? adders[family] : NULL;
		if ((add ? add : add_count)(&w->text, families[family].name, name, &at) < 0)
			return err_memory(e);
		if (flush(w, CHUNK, e) < 0)
			return -1;
		name += strlen(name) + 1;
	}
	return 0;
}

static bool is_of_queues(size_t family)
{
	return (family >= MESSAGES && family <= LATENESS) || family >= COUNTERS;
}

static int write_family(const struct families *f, size_t family, struct writing *w, struct err *e)
{
	const struct buf *samples = &f->samples[family];
	const struct family *one = &families[family];

	if (samples->len == 0 || (family == NEXT_DUE && !f->next_due))
		return 0;
	if (buf_format(&w->text, "# HELP %s %s\n# TYPE %s %s\n", one->name, one->help, one->name, one->type) < 0)
		return err_memory(e);
	if (is_of_queues(family))
		return write_column(f, family, w, e);
	return buf_add(&w->text, samples->bytes, samples->len) < 0 ? err_memory(e) : flush(w, CHUNK, e);
}

int families_write(struct families *f, families_write_fn *write, void *ctx, struct err *e)
{
	struct writing w = {.write = write, .ctx = ctx};
	int status = 0;

	if (buf_format(&f->samples[QUEUES], "%s %zu\n", families[QUEUES].name, f->queues) < 0)
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
