/* dq-stat: shows queues. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "die.h"
#include "opt.h"
#include "out.h"
#include "queues.h"
#include "stop.h"
#include "text.h"

static const char usage[] =
	"usage: dq-stat [--json | --no-header] [QUEUE...]\n"
	"Shows how many messages each queue (all of them, or the named ones) holds in each state.\n"
	"  DELAYED due later; DUE due, not yet moved; READY; LEASED taken, not settled; DEAD out of tries\n"
	"  OLDEST for how long the oldest ready message has been due; LATE the same of those not yet moved;\n"
	"  NEXT until the next one is due\n"
	"      --json               one JSON object, with counters; times in ms\n"
	"      --no-header          a table without its first line\n" OPT_USAGE;

enum { OPT_JSON = OPT_OWN, OPT_NO_HEADER };

#define COLUMNS 9
#define CELL 24

struct row {
	char name[NAME_MAX_BYTES + 1];
	char cell[COLUMNS - 1][CELL];
};

struct stat_tool {
	struct opt opt;
	struct conn conn;
	struct queues queues;
	bool json, header;
	size_t count;       /* queues shown */
	struct row *rows;
	struct buf objects; /* JSON */
	enum status status;
};

/* age writes a span for people: 250ms 1.2s 41s 2m3s 5h12m 3d4h; "-" for none. */
static void age(int64_t ms, char out[CELL])
{
	static const struct {
		int64_t unit, part;
		char name, part_name;
	} spans[] = {{86400000, 3600000, 'd', 'h'}, {3600000, 60000, 'h', 'm'}, {60000, 1000, 'm', 's'}};

	if (ms < 0) {
		strcpy(out, "-");
		return;
	}
	for (size_t i = 0; i < sizeof spans / sizeof *spans; i++)
		if (ms >= spans[i].unit) {
			snprintf(out, CELL, "%lld%c%lld%c", (long long)(ms / spans[i].unit), spans[i].name,
				 (long long)(ms % spans[i].unit / spans[i].part), spans[i].part_name);
			return;
		}
	if (ms >= 10000)
		snprintf(out, CELL, "%llds", (long long)(ms / 1000));
	else if (ms >= 1000)
		snprintf(out, CELL, "%lld.%llds", (long long)(ms / 1000), (long long)(ms % 1000 / 100));
	else
		snprintf(out, CELL, "%lldms", (long long)ms);
}

static int64_t since(int64_t now, int64_t then)
{
	return then < 0 ? -1 : now > then ? now - then : 0;
}

static int add_row(struct stat_tool *s, const struct queue *q, const struct queue_counts *c)
{
	struct row *rows = realloc(s->rows, (s->count + 1) * sizeof *rows), *row;
	const int64_t counts[] = {c->delayed, c->due, c->ready, c->leased, c->dead};

	if (!rows)
		return -1;
	s->rows = rows;
	row = &rows[s->count];
	strcpy(row->name, q->name);
	for (size_t i = 0; i < 5; i++)
		snprintf(row->cell[i], CELL, "%lld", (long long)counts[i]);
	age(since(c->now, c->oldest_ready), row->cell[5]);
	age(since(c->now, c->earliest_due), row->cell[6]);
	age(c->next_due < 0 ? -1 : c->next_due - c->now, row->cell[7]);
	return 0;
}

/* add_time adds ,"name":ms where there is one: absent means none. */
static int add_time(struct buf *out, const char *name, int64_t ms)
{
	return ms < 0 ? 0 : buf_format(out, ",\"%s\":%lld", name, (long long)ms);
}

static int add_counters(struct buf *out, const struct queue_counts *c)
{
	const char *name, *value, *comma = "";

	if (buf_text(out, ",\"totals\":{") < 0)
		return -1;
	for (size_t i = 0; i < c->counters; i++) {
		queue_counter(c, i, &name, &value);
		/* Counters are digits and names of our own; whatever else somebody put there is not shown. */
		if (!name_id_valid(name, strlen(name)) || value[0] == 0 || strlen(value) > 15 ||
		    strspn(value, "0123456789") != strlen(value) || (value[0] == '0' && value[1]))
			continue;
		if (buf_format(out, "%s\"%s\":%s", comma, name, value) < 0)
			return -1;
		comma = ",";
	}
	return buf_text(out, "}}");
}

static int add_object(struct stat_tool *s, const struct queue *q, const struct queue_counts *c)
{
	struct buf *out = &s->objects;

	if (buf_format(out,
		       "%s{\"queue\":\"%s\",\"now_ms\":%lld,\"messages\":{\"delayed\":%lld,\"due\":%lld,\"ready\":%lld,"
		       "\"leased\":%lld,\"dead\":%lld}",
		       s->count ? ",\n" : "", q->name, (long long)c->now, (long long)c->delayed, (long long)c->due,
		       (long long)c->ready, (long long)c->leased, (long long)c->dead) < 0)
		return -1;
	if (add_time(out, "oldest_ready_ms", since(c->now, c->oldest_ready)) < 0 ||
	    add_time(out, "late_ms", since(c->now, c->earliest_due)) < 0 || add_time(out, "next_due_ms", c->next_due) < 0)
		return -1;
	return add_counters(out, c);
}

static int stat_queue(void *ctx, struct queue *q)
{
	struct stat_tool *s = ctx;
	struct queue_counts counts;
	struct err e;
	int status = queue_stat(q, &counts, &e);

	if (status == 0 && (s->json ? add_object(s, q, &counts) : add_row(s, q, &counts)) < 0)
		status = err_memory(&e);
	queue_counts_free(&counts);
	if (status == 0) {
		s->count++;
		return 0;
	}
	s->status = worse(s->status, e.status);
	if (e.status != DQ_STOPPED)
		warn("%s: not shown: %s", q->name, e.text);
	return s->conn.redis && e.status != DQ_STOPPED ? 0 : -1;
}

static void print_table(const struct stat_tool *s)
{
	static const char *const titles[COLUMNS] = {"QUEUE", "DELAYED", "DUE",    "READY", "LEASED",
						    "DEAD",  "OLDEST",  "LATE", "NEXT"};
	int width[COLUMNS];

	for (int k = 0; k < COLUMNS; k++) {
		width[k] = s->header ? (int)strlen(titles[k]) : 1;
		for (size_t i = 0; i < s->count; i++) {
			int len = (int)strlen(k ? s->rows[i].cell[k - 1] : s->rows[i].name);
			width[k] = len > width[k] ? len : width[k];
		}
	}
	if (s->header) {
		out_format("%-*s", width[0], titles[0]);
		for (int k = 1; k < COLUMNS; k++)
			out_format("  %*s", width[k], titles[k]);
		out_format("\n");
	}
	for (size_t i = 0; i < s->count; i++) {
		out_format("%-*s", width[0], s->rows[i].name);
		for (int k = 1; k < COLUMNS; k++)
			out_format("  %*s", width[k], s->rows[i].cell[k - 1]);
		out_format("\n");
	}
}

static enum status print_json(struct stat_tool *s)
{
	struct err e;

	if (buf_reserve(&s->objects, 1) < 0)
		die(DQ_TEMPORARY, "out of memory");
	if (out_write("{\"version\":1,\"queues\":[", 23, &e) < 0 || out_write(s->objects.bytes, s->objects.len, &e) < 0 ||
	    out_write("]}\n", 3, &e) < 0) {
		if (e.status != DQ_STOPPED)
			warn("standard output: %s", e.text);
		return e.status;
	}
	return DQ_DONE;
}

static void parse(struct stat_tool *s, int argc, char **argv)
{
	static const struct option options[] = {OPT_LONG,
						{"json", no_argument, NULL, OPT_JSON},
						{"no-header", no_argument, NULL, OPT_NO_HEADER},
						OPT_END};
	int c;

	while ((c = getopt_long(argc, argv, OPT_SHORT, options, NULL)) != -1) {
		if (c == OPT_JSON)
			s->json = true;
		else if (c == OPT_NO_HEADER)
			s->header = false;
		else
			opt_common(&s->opt, c, argv, usage);
	}
	for (char **name = argv + optind; *name; name++)
		opt_queue(*name);
}

int main(int argc, char **argv)
{
	struct stat_tool s = {.header = true};
	struct err e;

	opt_start(&s.opt, "dq-stat");
	parse(&s, argc, argv);
	opt_connect(&s.opt, &s.conn, stop_catch());
	queues_init(&s.queues, &s.conn, s.opt.prefix);
	if (queues_each(&s.queues, argv + optind, stat_queue, &s, &e) < 0 && e.status != DQ_DONE) {
		s.status = worse(s.status, e.status);
		if (e.status != DQ_STOPPED)
			warn("%s:queues: %s", s.opt.prefix, e.text);
	}
	if (s.json)
		s.status = worse(s.status, print_json(&s));
	else
		print_table(&s);
	queues_free(&s.queues);
	free(s.rows);
	buf_free(&s.objects);
	conn_close(&s.conn);
	finish(s.status);
}
