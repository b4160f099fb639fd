/* dq-stat: shows queues and messages. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "check.h"
#include "counts.h"
#include "describe.h"
#include "queue/queue_set.h"
#include "tool/absent.h"
#include "tool/die.h"
#include "tool/notice.h"
#include "tool/opt.h"
#include "tool/out.h"
#include "tool/stop.h"

static const char usage[] =
	"usage: dq-stat [-q] [--json | --no-header] [QUEUE|NAME...]\n"
	"       dq-stat --messages STATE|all [--json] [QUEUE...]\n"
	"       dq-stat --payload NAME\n"
	"       dq-stat --check [--json] [QUEUE...]\n"
	"Shows how many messages each queue (all of them, or the named ones) holds in\n"
	"each state, and the named messages, in lines of KEY, TAB, VALUE. NAME is\n"
	"QUEUE/ID, or a receipt. Exit 1 if there is no such message or queue.\n"
	"  DELAYED due later; DUE due, not yet ready; READY; LEASED taken, not settled;\n"
	"  DEAD out of tries or buried; OLDEST how long the oldest ready message has been\n"
	"  due; LATE the same of DUE; NEXT time until the next one is due; PAUSED:\n"
	"  consumers get nothing; EXPIRED expired messages among the first three\n"
	"      --messages STATE|all a line for each message (leased, ready, due, delayed,\n"
	"                           dead) instead: NAME STATE TIME TRIES REASON,\n"
	"                           separated by TABs; TIME is when it is due, its lease\n"
	"                           ends, or it died; or expired: when it did\n"
	"      --payload            print only the payload of one message\n"
	"      --check              server settings and states that put messages at risk;\n"
	"                           exit 0 none, 1 warning, 2 critical, 3 unknown\n"
	"      --json               one JSON object, with counters; times in ms; messages\n"
	"                           are one object per line\n"
	"      --no-header          a table without its first line\n"
	"  -q, --quiet              do not report queues that do not exist yet\n" OPT_USAGE;

enum { OPT_JSON = OPT_OWN, OPT_NO_HEADER, OPT_MESSAGES, OPT_PAYLOAD, OPT_CHECK };

/* In the order in which they are listed. */
static const char *const states[] = {"leased", "ready", "due", "delayed", "dead"};
static const char expired[] = "expired"; /* some of the ready, due and delayed */

struct stat_tool {
	struct opt opt;
	struct conn conn;
	struct queue_set queues;
	bool json, header, messages, payload, check, quiet;
	const char *only;          /* state; NULL = all */
	char **queue_names;        /* NULL-ended */
	struct name *names;
	size_t name_count;
	const struct queue *queue; /* being listed, and the state */
	const char *state;
	size_t listed;             /* messages, all in all */
	size_t count;              /* queues shown */
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
	if (e.status != DQ_STOPPED)
		warn("standard output: %s", e.text);
	s->status = worse(s->status, e.status);
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
	int is = s->queue_names[0] ? absent_say(q, ABSENT_PUT, s->quiet, &e) : 0;

	if (is < 0)
		return failed(s, q->name, NULL, &e);
	if (is > 0)
		s->status = worse(s->status, DQ_NO);
	return 0;
}

static int count_queue(void *ctx, struct queue *q)
{
	struct stat_tool *s = ctx;
	struct queue_counts counts;
	struct err e;
	int status = queue_stat(q, &counts, &e);
	bool doubt = status == 0 && counts.counters == 0;

	if (status == 0) {
		if (s->json)
			status = s->count && buf_text(&s->out, ",\n") < 0 ? -1 : counts_json(&s->out, q->name, &counts);
		else
			status = counts_row(&s->table, q->name, &counts);
		if (status < 0)
			err_memory(&e);
	}
	queue_counts_free(&counts);
	if (status < 0)
		return failed(s, q->name, NULL, &e);
	s->count++;
	return doubt ? absent(s, q) : 0;
}

static void stat_ahead(void *ctx, struct call *call, struct queue *q)
{
	(void)ctx;
	queue_stat_ahead(call, q);
}

static int list_one(void *ctx, const struct listed *m)
{
	struct stat_tool *s = ctx;

	s->listed++;
	if ((s->json ? describe_listed_json : describe_listed)(&s->out, s->queue->name, s->state, m) == 0)
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
		e->status = DQ_DONE;
		if (listing_next(q, s->state, &place, QUEUE_CALL_MAX, list_one, s, &n, e) < 0 || (n > 0 && emit(s) < 0))
			status = -1;
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
	for (size_t i = 0; i < (s->only ? 1 : sizeof states / sizeof *states); i++) {
		s->state = s->only ? s->only : states[i];
		if (list_state(s, q, &e) < 0)
			return e.status == DQ_DONE ? -1 : failed(s, q->name, NULL, &e); /* DQ_DONE: it was said */
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
		status = listing_show(q, name->id, s->payload, &shown, &e);
	if (status == 0 && !shown.exists) {
		warn("%s/%s: no such message", name->queue, name->id);
		s->status = worse(s->status, DQ_NO);
	} else if (status == 0) {
		if (s->payload)
			status = add_payload(&s->out, shown.payload, shown.payload_len);
		else
			status = (s->json ? describe_shown_json : describe_shown)(&s->out, q->name, name->id, &shown);
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
	struct err e;

	if (queue_set_each(&s->queues, s->queue_names, each, s, &e) == 0 || e.status == DQ_DONE)
		return;
	s->status = worse(s->status, e.status);
	if (e.status != DQ_STOPPED)
		warn("%s:queues: %s", s->opt.prefix, e.text);
}

static int show_counts(struct stat_tool *s)
{
	int status = 0;

	s->table.columns = COUNTS_COLUMNS;
	if (s->json)
		status = buf_text(&s->out, "{\"version\":1,\"queues\":[");
	else if (s->header)
		status = counts_titles(&s->table);
	s->queues.ahead = stat_ahead;
	if (status == 0)
		each_queue(s, count_queue);
	if (!s->json && s->status != DQ_DONE && s->count == 0)
		return 0; /* a head without a body would say that there are no queues */
	if (status == 0)
		status = s->json ? buf_text(&s->out, "]}\n") : table_write(&s->table, &s->out);
	if (status < 0)
		die(DQ_TEMPORARY, "out of memory");
	return emit(s);
}

static void show(struct stat_tool *s)
{
	if (s->messages) {
		each_queue(s, list_queue);
		return;
	}
	if ((s->queue_names[0] || s->name_count == 0) && show_counts(s) < 0)
		return;
	for (size_t i = 0; i < s->name_count && s->conn.redis && !stop_signal(); i++)
		if (show_message(s, &s->names[i]) < 0)
			return;
}

static void set_state(struct stat_tool *s, const char *text)
{
	char shown[80];

	s->messages = true;
	s->only = NULL;
	if (!strcmp(text, "all"))
		return;
	if (!listing_state(text) && strcmp(text, expired) != 0)
		die_usage("--messages: \"%s\": not a state (leased ready due delayed dead), nor expired, nor all",
			  text_shown(shown, sizeof shown, text, strlen(text)));
	s->only = text;
}

/* read_operands sorts them into queues and messages. */
static void read_operands(struct stat_tool *s, int count, char **operands)
{
	int kinds = s->messages || s->check ? NAME_QUEUE : NAME_QUEUE | NAME_MESSAGE;
	size_t queue_count = 0;
	struct err e;

	s->queue_names = calloc((size_t)count + 1, sizeof *s->queue_names);
	s->names = calloc((size_t)count + 1, sizeof *s->names);
	if (!s->queue_names || !s->names)
		die(DQ_TEMPORARY, "out of memory");
	for (int i = 0; i < count; i++) {
		struct name *name = &s->names[s->name_count];
		if (name_parse(operands[i], strlen(operands[i]), kinds, name, &e) < 0)
			die_usage("%s", e.text);
		if (name->id[0])
			s->name_count++;
		else
			s->queue_names[queue_count++] = operands[i];
	}
	if (s->check && (s->messages || s->payload))
		die_usage("--check: not with --messages or --payload");
	if (s->payload && (s->name_count != 1 || queue_count > 0 || s->json || s->messages))
		die_usage("--payload: takes one message (QUEUE/ID) and no other option of what to show");
}

static void parse(struct stat_tool *s, int argc, char **argv)
{
	static const struct option options[] = {OPT_LONG,
						{"json", no_argument, NULL, OPT_JSON},
						{"no-header", no_argument, NULL, OPT_NO_HEADER},
						{"messages", required_argument, NULL, OPT_MESSAGES},
						{"payload", no_argument, NULL, OPT_PAYLOAD},
						{"check", no_argument, NULL, OPT_CHECK},
						{"quiet", no_argument, NULL, 'q'},
						OPT_END};
	struct operands operands;
	int c;

	while ((c = argv_next(argc, argv, OPT_SHORT "q", options)) != -1) {
		if (c == OPT_JSON)
			s->json = true;
		else if (c == OPT_NO_HEADER)
			s->header = false;
		else if (c == OPT_MESSAGES)
			set_state(s, optarg);
		else if (c == OPT_PAYLOAD)
			s->payload = true;
		else if (c == OPT_CHECK)
			s->check = true;
		else if (c == 'q')
			s->quiet = true;
		else
			opt_common(&s->opt, c, usage);
	}
	operands = argv_operands(argc, argv);
	read_operands(s, operands.count, operands.words);
}

int main(int argc, char **argv)
{
	struct stat_tool s = {.header = true};

	opt_start(&s.opt, "dq-stat");
	parse(&s, argc, argv);
	(s.check ? opt_prepare : opt_connect)(&s.opt, &s.conn, opt_caught(stop_catch()));
	queue_set_init(&s.queues, &s.conn, s.opt.prefix);
	if (s.check)
		s.status = check_run(&s.queues, s.queue_names, s.json, s.quiet);
	else
		show(&s);
	queue_set_free(&s.queues);
	table_free(&s.table);
	buf_free(&s.out);
	free(s.queue_names);
	free(s.names);
	conn_close(&s.conn);
	finish(s.status);
}
