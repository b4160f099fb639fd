/* dq-stat: shows queues and messages. */
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "check.h"
#include "counts.h"
#include "describe.h"
#include "gather.h"
#include "next.h"
#include "prometheus.h"
#include "options.h"
#include "tool/absent.h"
#include "tool/die.h"
#include "tool/notice.h"
#include "tool/out.h"
#include "tool/queues.h"
#include "tool/stop.h"

/* In the order in which they are listed. */
static const char *const states[] = {"leased", "ready", "due", "delayed", "dead"};

struct stat_tool {
	struct options options;
	struct conn conn;
	struct queue_set queues;
	const struct queue *queue; /* being listed, and the state */
	const char *state;
	size_t listed;             /* messages, all in all */
	struct table table;
	struct buf out;            /* to be written */
	enum status status;
};

/* emit writes what has gathered, at once. */
static int emit(struct stat_tool *s)
{
	struct err e;
	int status = out_write(s->out.bytes, s->out.len, &e);

	s->out.len = 0;
	if (status == 0)
		return 0;
	s->status = worse(s->status, out_failed(&e));
	return -1;
}

/* failed says why something is not shown. Returns 0 where one can go on. */
static int failed(struct stat_tool *s, const char *queue, const char *id, const struct err *e)
{
	s->status = worse(s->status, e->status);
	if (e->status != DQ_STOPPED)
		warn("%s%s%s: not shown: %s", queue, id ? "/" : "", id ? id : "", e->text);
	return s->conn.redis && e->status != DQ_STOPPED ? 0 : -1;
}

/* absent: a named queue in which nothing was found may not even exist; all queues are those that do. */
static int absent(struct stat_tool *s, struct queue *q)
{
	struct err e;
	int is = s->options.queues[0] ? absent_say(q, ABSENT_PUT, s->options.quiet, &e) : 0;

	if (is < 0)
		return failed(s, q->name, NULL, &e);
	if (is > 0)
		s->status = worse(s->status, DQ_NO);
	return 0;
}

static int count_queue(void *ctx, const struct queue *q, const struct queue_counts *c, struct err *e)
{
	struct stat_tool *s = ctx;
	int status;

	if (s->options.json)
		status = s->out.bytes[s->out.len - 1] == '}' && buf_text(&s->out, ",\n") < 0 ? -1 : counts_json(&s->out, q->name, c);
	else
		status = counts_row(&s->table, q->name, c);
	return status < 0 ? err_memory(e) : 0;
}

static int list_one(void *ctx, const struct listed *m)
{
	struct stat_tool *s = ctx;

	s->listed++;
	if ((s->options.json ? describe_listed_json : describe_listed)(&s->out, s->queue->name, s->state, m) == 0)
		return 0;
	warn("out of memory");
	s->status = worse(s->status, DQ_TEMPORARY);
	return -1;
}

/* list_state writes page by page, so that a reader downstream can begin; and goes on by place, not by rank, so that it may
 * remove or move what it reads. */
static int list_state(struct stat_tool *s, struct queue *q, struct err *e)
{
	struct listing_place place = {{0}};
	int status = 0;
	int64_t n;

	do {
		status = listing_next(q, s->state, &place, QUEUE_CALL_MAX, list_one, s, &n, e);
		if (status == 0 && n > 0 && emit(s) < 0)
			status = err_said(e);
		notice_say(q);
	} while (status == 0 && n == QUEUE_CALL_MAX && !stop_signal());
	buf_free(&place.text);
	return status;
}

static int list_queue(void *ctx, struct queue *q)
{
	struct stat_tool *s = ctx;
	size_t before = s->listed;
	struct err e;

	s->queue = q;
	for (size_t i = 0; i < (s->options.only ? 1 : sizeof states / sizeof *states); i++) {
		s->state = s->options.only ? s->options.only : states[i];
		if (list_state(s, q, &e) < 0)
			return e.status == DQ_SAID ? -1 : failed(s, q->name, NULL, &e);
	}
	return s->listed == before && !q->foreign ? absent(s, q) : 0;
}

/* add_payload: byte for byte; but for a terminal, what it might act on is escaped, and lines stay lines. */
static int add_payload(struct buf *out, const char *payload, size_t len)
{
	if (!isatty(STDOUT_FILENO))
		return buf_add(out, payload, len);
	while (len > 0) {
		const char *lf = memchr(payload, '\n', len);
		size_t line = lf ? (size_t)(lf - payload) : len;
		if (text_line(out, payload, line) < 0 || (lf && buf_char(out, '\n') < 0))
			return -1;
		line += lf != NULL;
		payload += line;
		len -= line;
	}
	return 0;
}

static int show_message(struct stat_tool *s, const struct name *name)
{
	struct queue *q = queue_set_find(&s->queues, name->queue);
	struct shown shown = {.exists = false};
	struct err e;
	int status;

	if (!q)
		status = err_memory(&e);
	else
		status = listing_show(q, name->id, s->options.payload, &shown, &e);
	if (status == 0 && !shown.exists) {
		warn("%s/%s: no such message", name->queue, name->id);
		s->status = worse(s->status, DQ_NO);
	} else if (status == 0) {
		if (s->options.payload)
			status = add_payload(&s->out, shown.payload, shown.payload_len);
		else
			status = (s->options.json ? describe_shown_json : describe_shown)(&s->out, q->name, name->id, &shown);
		if (status < 0)
			err_memory(&e);
	}
	listing_shown_free(&shown);
	if (status < 0) {
		s->out.len = 0;
		return failed(s, name->queue, name->id, &e);
	}
	return s->out.len > 0 ? emit(s) : 0;
}

static void each_queue(struct stat_tool *s, int (*each)(void *ctx, struct queue *q))
{
	enum status status = queues_each(&s->queues, s->options.queues, each, s);

	s->status = worse(s->status, status);
}

static int show_counts(struct stat_tool *s)
{
	struct gather g = {.all = &s->queues, .names = s->options.queues, .quiet = s->options.quiet, .each = count_queue, .ctx = s};
	int status = 0;

	s->table.columns = COUNTS_COLUMNS;
	if (s->options.json)
		status = buf_text(&s->out, "{\"version\":1,\"queues\":[");
	else if (s->options.header)
		status = counts_titles(&s->table);
	if (status == 0)
		s->status = worse(s->status, gather_run(&g));
	if (!s->options.json && s->status != DQ_DONE && g.count == 0)
		return 0; /* a head without a body would say that there are no queues */
	if (status == 0)
		status = s->options.json ? buf_text(&s->out, "]}\n") : table_write(&s->table, &s->out);
	if (status < 0)
		die(DQ_TEMPORARY, "out of memory");
	return emit(s);
}

static void show(struct stat_tool *s)
{
	if (s->options.mode == MODE_MESSAGES) {
		each_queue(s, list_queue);
		return;
	}
	if ((s->options.queues[0] || s->options.name_count == 0) && show_counts(s) < 0)
		return;
	for (size_t i = 0; i < s->options.name_count && s->conn.redis && !stop_signal(); i++)
		if (show_message(s, &s->options.names[i]) < 0)
			return;
}

int main(int argc, char **argv)
{
	struct stat_tool s = {.status = DQ_DONE};
	const struct options *o = &s.options;

	options_read(&s.options, argc, argv);
	(o->mode == MODE_CHECK ? opt_prepare : opt_connect)(&o->common, &s.conn, opt_caught(stop_catch()));
	queue_set_init(&s.queues, &s.conn, o->common.prefix);
	if (o->mode == MODE_CHECK)
		s.status = check_run(&(struct check){&s.queues, o->queues, &o->warn, &o->crit, o->json, o->quiet});
	else if (o->mode == MODE_NEXT)
		s.status = next_run(&s.queues, o->queues, o->quiet);
	else if (o->mode == MODE_PROMETHEUS)
		s.status = prometheus_run(&s.queues, o->queues, o->quiet, o->output);
	else
		show(&s);
	queue_set_free(&s.queues);
	table_free(&s.table);
	buf_free(&s.out);
	options_free(&s.options);
	conn_close(&s.conn);
	finish(s.status);
}
