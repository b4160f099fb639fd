/* dq-stat: shows queues and messages. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "check/check.h"
#include "table/counts.h"
#include "describe.h"
#include "ended.h"
#include "failed.h"
#include "gather.h"
#include "keys/keys.h"
#include "list.h"
#include "watch/live.h"
#include "names.h"
#include "next.h"
#include "options.h"
#include "table/overview.h"
#include "metrics/prometheus.h"
#include "redis/nodes.h"
#include "redis/current.h"
#include "redis/replica.h"
#include "term.h"
#include "tool/die.h"
#include "tool/stop.h"

#define EVERY 1000 /* ms; the default of --every */

struct stat_tool {
	struct options options;
	struct exchange x;
	struct queue_set queues;
	bool terminal;             /* standard output is a terminal */
	struct table table;
	struct rows rows;          /* of the table on a terminal */
	struct buf out;            /* not yet written */
	enum status status;
};

/* emit writes the gathered output at once. */
static int emit(struct stat_tool *s)
{
	int status = failed_write(&s->status, &s->out);

	s->out.len = 0;
	return status;
}

static int add_row(struct stat_tool *s, const char *name, const struct queue_counts *c)
{
	return s->terminal ? rows_add(&s->rows, name, c) : counts_row(&s->table, name, c);
}

/* count_shards adds a row for each shard, named by its tag. */
static int count_shards(struct stat_tool *s, const struct queue *q, struct err *e)
{
	int status = 0;

	for (int i = 0; i < q->shards && status == 0; i++) {
		struct queue shard = i == 0 ? *q : q->rest[i - 1];
		struct queue_counts counts;
		char tag[NAME_KEY_MAX];
		shard.rest = NULL;
		snprintf(tag, sizeof tag, "%s", strchr(shard.keys.key[PART_STAT], '{') + 1);
		tag[strcspn(tag, "}")] = '\0';
		status = queue_stat(&shard, &counts, e);
		if (status == 0 && add_row(s, tag, &counts) < 0)
			status = err_memory(e);
		queue_counts_free(&counts);
	}
	return status;
}

static int count_queue(void *ctx, const struct queue *q, const struct queue_counts *c,
		       struct err *e)
{
	struct stat_tool *s = ctx;
	int status;

	if (s->options.json)
		status = s->out.bytes[s->out.len - 1] == '}' && buf_text(&s->out, ",\n") < 0 ?
				 -1 :
				 counts_json(&s->out, q->name, c);
	else
		status = add_row(s, q->name, c);
	if (status < 0)
		return err_memory(e);
	return s->options.common.verbose && !s->options.json && q->rest ? count_shards(s, q, e) : 0;
}

/* add_payload adds the bytes of the payload. For a terminal it escapes those that the terminal
 * might act on, and keeps line feeds. */
static int add_payload(struct buf *out, const char *payload, size_t len, bool terminal)
{
	if (!terminal)
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

/* add_shown adds what is to be printed of an id. */
static int add_shown(struct stat_tool *s, const struct queue *q, const char *id,
		     const struct shown *shown)
{
	if (!shown->exists)
		return (s->options.json ? ended_json : ended_lines)(&s->out, q->name, id, shown);
	if (s->options.payload)
		return add_payload(&s->out, shown->payload, shown->payload_len, s->terminal);
	return (s->options.json ? describe_shown_json : describe_shown)(&s->out, q->name, id,
									shown);
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
	if (status == 0 && !shown.exists && (shown.reserved_until < 0 || s->options.payload)) {
		warn("%s/%s: no such message%s", name->queue, name->id,
		     shown.reserved_until < 0 ? "" : ", but its id is reserved");
		s->status = worse(s->status, DQ_NO);
	} else if (status == 0 && add_shown(s, q, name->id, &shown) < 0) {
		status = err_memory(&e);
	}
	listing_shown_free(&shown);
	if (status < 0) {
		s->out.len = 0;
		return failed_show(&s->status, &s->x, name->queue, name->id, &e);
	}
	return s->out.len > 0 ? emit(s) : 0;
}

/* lay_out makes the table for a terminal, where people look for what is wrong. Pipes and files
 * always get the same table. */
static int lay_out(struct stat_tool *s)
{
	struct table_style style = {.colour = term_colour(), .header = s->options.header,
				    .idle = s->options.idle || s->options.queues[0]};

	if (!s->terminal)
		return table_write(&s->table, &s->out);
	term_size(&style.width, NULL);
	return overview_write(&s->out, &s->rows, &style);
}

static void hint(struct stat_tool *s)
{
	char text[400];

	overview_hint(&s->rows, text, sizeof text);
	if (text[0])
		warn("%s", text);
}

static int show_counts(struct stat_tool *s)
{
	struct gather g = {.all = &s->queues, .names = s->options.queues, .quiet = s->options.quiet,
			   .each = count_queue, .ctx = s};
	int status = 0;

	s->table.columns = COUNTS_COLUMNS;
	if (s->options.json)
		status = buf_text(&s->out, "{\"version\":1,\"queues\":[");
	else if (s->options.header && !s->terminal)
		status = counts_titles(&s->table);
	if (status == 0) {
		enum status gathered = gather_run(&g); /* which changes s->status, too */
		s->status = worse(s->status, gathered);
	}
	if (!s->options.json && s->status != DQ_DONE && g.count == 0)
		return 0; /* a head without rows would say that there are no queues */
	if (status == 0)
		status = s->options.json ? buf_text(&s->out, "]}\n") : lay_out(s);
	if (status < 0)
		die(DQ_TEMPORARY, "out of memory");
	status = emit(s);
	if (status == 0 && !s->options.quiet)
		hint(s);
	return status;
}

static void show(struct stat_tool *s)
{
	if ((s->options.queues[0] || s->options.name_count == 0) && show_counts(s) < 0)
		return;
	for (size_t i = 0; i < s->options.name_count && nodes_left(&s->x.nodes) && !stop_signal();
	     i++)
		if (show_message(s, &s->options.names[i]) < 0)
			return;
}

/* check returns an exit status of monitoring plugins if the report was written: that of
 * its worst level. */
static enum status check(struct stat_tool *s)
{
	const struct options *o = &s->options;
	enum report_level worst;
	enum status status = check_run(&(struct check){&s->queues, o->queues, &o->warn, &o->crit,
						       o->json, o->quiet},
				       &worst);

	return status == DQ_DONE ? (enum status)worst : status;
}

static enum status show_keys(struct stat_tool *s)
{
	const struct options *o = &s->options;
	const struct keys keys = {&s->queues, o->queues, o->key, o->limit, o->json, o->header,
				  s->terminal, o->quiet, o->common.verbose};

	return o->key ? keys_messages(&keys) : keys_list(&keys);
}

static enum status run(struct stat_tool *s)
{
	const struct options *o = &s->options;

	switch (o->mode) {
	case MODE_MESSAGES:
		return list_run(&(struct list){&s->queues, o->queues, o->states, o->json,
					       o->payload, s->terminal, o->quiet, o->key});
	case MODE_KEYS:
	case MODE_KEY:
		return show_keys(s);
	case MODE_CHECK:
		return check(s);
	case MODE_NEXT:
		return next_run(&s->queues, o->queues, o->quiet);
	case MODE_NAMES:
		return names_run(&s->queues);
	case MODE_PROMETHEUS:
		return prometheus_run(&s->queues, o->queues, o->quiet, o->output);
	case MODE_WATCH:
		return live_run(&(struct live){&s->queues, o->queues,
					       o->every < 0 ? EVERY : o->every, o->idle,
					       s->terminal});
	case MODE_COUNTS:
		break;
	}
	show(s);
	return s->status;
}

/* run_once runs all modes except --check and --watch, which ask for the numbers themselves. */
static enum status run_once(struct stat_tool *s)
{
	enum status status;
	struct err e;

	if (current_await(&s->x, &e) < 0 || replica_ask(&s->x.nodes, &e) < 0)
		die(e.status, "%s", e.text);
	status = run(s);
	failed_stale(&status, &s->x);
	return status;
}

int main(int argc, char **argv)
{
	struct stat_tool s = {.status = DQ_DONE};
	const struct options *o = &s.options;
	enum status status;

	options_read(&s.options, argc, argv);
	s.terminal = isatty(STDOUT_FILENO);
	(o->mode == MODE_CHECK ? opt_prepare : opt_connect)(&o->common, &s.x,
							    opt_caught(stop_catch()));
	queue_set_init(&s.queues, &s.x, o->common.prefix);
	status = o->mode == MODE_CHECK || o->mode == MODE_WATCH ? run(&s) : run_once(&s);
	queue_set_free(&s.queues);
	table_free(&s.table);
	rows_free(&s.rows);
	buf_free(&s.out);
	options_free(&s.options);
	exchange_close(&s.x);
	finish(status);
}
