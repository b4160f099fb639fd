/* dq-put: enqueues messages. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bulk.h"
#include "clock.h"
#include "die.h"
#include "input.h"
#include "message.h"
#include "num.h"
#include "opt.h"
#include "out.h"
#include "stop.h"
#include "text.h"
#include "ulid.h"
#include "when.h"

static const char usage[] =
	"usage: dq-put [-q] [-d DUR | -a TIME] [-i ID] [-t DUR] [-r N] QUEUE [PAYLOAD...]\n"
	"       dq-put [-q] [-d DUR | -a TIME] [-t DUR] [-r N] -l | -0 QUEUE\n"
	"Puts each PAYLOAD, or all of standard input as one, into QUEUE; prints QUEUE/ID of what Redis has accepted.\n"
	"  -d, --delay DUR          due after DUR: 500ms 90s 1.5h 1h30m 2d 1w; a bare number is seconds (0)\n"
	"  -a, --at TIME            due at @EPOCH[.frac], or RFC 3339 with a zone: 2026-11-21T09:00:00+01:00\n"
	"  -i, --id ID              the message's id (one is made); exit 1 if there is such a message already\n"
	"  -t, --ttr DUR            time to run: the length of a lease (60s)\n"
	"  -r, --tries N            deliveries before it is dead (5)\n"
	"  -l, --lines              each line of standard input is a message\n"
	"  -0, --null               likewise, ended by NUL\n"
	"      --max-bytes SIZE     refuse larger payloads (1M; at most 16M)\n"
	"  -q, --quiet              print no names\n" OPT_USAGE;

enum { OPT_MAX_BYTES = OPT_OWN };

struct put {
	struct opt opt;
	struct conn conn;
	struct queue queue;
	struct bulk bulk;
	struct ulid ulid;
	struct message_options message;
	struct buf header, record;
	const char *id;
	char due[32];        /* as put.lua reads it */
	int delimiter;       /* of standard input; -1 = whole */
	bool many, quiet;
	int64_t max_bytes;
	size_t accepted, refused, unknown;
	enum status status;
};

static void parse_due(struct put *p, const char *name, const char *text)
{
	struct err e;
	int64_t ms;

	if (p->due[0])
		die_usage("%s: only one of -d and -a", name);
	if (name[1] == 'd') {
		snprintf(p->due, sizeof p->due, "%lld", (long long)opt_duration(name, text));
	} else {
		if (when_parse(text, &ms, &e) < 0)
			die_usage("%s: %s", name, e.text);
		snprintf(p->due, sizeof p->due, "@%lld", (long long)ms);
	}
}

static void parse_id(struct put *p, const char *text)
{
	struct err e;

	if (name_id_check(text, strlen(text), &e) < 0)
		die_usage("-i: %s", e.text);
	p->id = text;
}

static void parse_option(struct put *p, int c, char **argv)
{
	struct err e;

	switch (c) {
	case 'd':
		parse_due(p, "-d", optarg);
		break;
	case 'a':
		parse_due(p, "-a", optarg);
		break;
	case 'i':
		parse_id(p, optarg);
		break;
	case 't':
		p->message.ttr = opt_duration("-t", optarg);
		if (p->message.ttr < MESSAGE_TTR_MIN)
			die_usage("-t: a lease is at least 1ms");
		break;
	case 'r':
		p->message.tries = opt_number("-r", optarg, 1, MESSAGE_TRIES_MAX);
		break;
	case 'l':
	case '0':
		if (p->many && p->delimiter != (c == 'l' ? '\n' : 0))
			die_usage("-%c: only one of -l and -0", c);
		p->many = true;
		p->delimiter = c == 'l' ? '\n' : 0;
		break;
	case 'q':
		p->quiet = true;
		break;
	case OPT_MAX_BYTES:
		if (num_size(optarg, 0, QUEUE_PAYLOAD_HARD_MAX, "--max-bytes", &p->max_bytes, &e) < 0)
			die_usage("%s", e.text);
		break;
	default:
		opt_common(&p->opt, c, argv, usage);
	}
}

static void parse(struct put *p, int argc, char **argv)
{
	static const struct option options[] = {OPT_LONG,
						{"delay", required_argument, NULL, 'd'},
						{"at", required_argument, NULL, 'a'},
						{"id", required_argument, NULL, 'i'},
						{"ttr", required_argument, NULL, 't'},
						{"tries", required_argument, NULL, 'r'},
						{"lines", no_argument, NULL, 'l'},
						{"null", no_argument, NULL, '0'},
						{"quiet", no_argument, NULL, 'q'},
						{"max-bytes", required_argument, NULL, OPT_MAX_BYTES},
						OPT_END};
	int c, operands;

	while ((c = getopt_long(argc, argv, OPT_SHORT "d:a:i:t:r:l0q", options, NULL)) != -1)
		parse_option(p, c, argv);
	operands = argc - optind;
	if (operands < 1)
		die_usage("no queue given");
	opt_queue(argv[optind]);
	if (p->many && operands > 1)
		die_usage("-%c: reads standard input and takes no PAYLOAD", p->delimiter ? 'l' : '0');
	if (p->id && (p->many || operands > 2))
		die_usage("-i: one id, but several messages");
	if (operands == 1 && !p->many && isatty(STDIN_FILENO))
		die_usage("no payload given, and standard input is a terminal");
	if (!p->due[0])
		strcpy(p->due, "0");
}

static void on_result(void *ctx, const struct bulk_result *r)
{
	struct put *p = ctx;

	if (r->letter == 'n' || r->letter == 's') {
		p->accepted++;
		if (!p->quiet)
			out_format("%s/%s\n", r->queue->name, r->id);
		return;
	}
	p->refused++;
	p->status = worse(p->status, DQ_NO);
	warn("%s/%s: not put: there is such a message already", r->queue->name, r->id);
}

static void on_refused(void *ctx, const struct queue *queue, size_t n, const struct err *e)
{
	struct put *p = ctx;

	if (n == 0) {
		warn("%s: messages are put, but the queue could not be listed: %s", queue->name, e->text);
		return;
	}
	if (e->fate == FATE_UNKNOWN)
		p->unknown += n;
	else
		p->refused += n;
	p->status = worse(p->status, e->status);
	if (e->fate == FATE_UNKNOWN)
		warn("%s: %zu message%s may or may not have been put: %s", queue->name, n, n == 1 ? "" : "s", e->text);
	else
		warn("%s: %zu message%s not put: %s", queue->name, n, n == 1 ? "" : "s", e->text);
}

/* flush_names writes what was accepted so far. A reader that is gone, or a full disk, ends the tool by finish(). */
static int flush_names(struct put *p)
{
	struct err e;

	if (out_gathered() == 0 || out_flush(&e) == 0)
		return 0;
	if (e.status != DQ_STOPPED)
		warn("standard output: %s", e.text);
	p->status = worse(p->status, e.status);
	return -1;
}

/* lost: no further answer will come. */
static int lost(struct put *p, const struct err *e)
{
	p->status = worse(p->status, e->status);
	if (!bulk_wind_up(&p->bulk, e))
		warn("%s: %s: %zu accepted, %zu refused, %zu unknown, %zu not sent", p->queue.name, e->text, p->accepted,
		     p->refused, p->unknown + p->bulk.unanswered, p->bulk.unsent);
	return -1;
}

static int add(struct put *p, const char *payload, size_t len)
{
	char id[NAME_MAX_BYTES + 1];
	const char *texts[3] = {p->id ? p->id : id, p->due};
	size_t lens[3];
	struct err e;

	if (len > (size_t)p->max_bytes) {
		warn("%s: not put: a payload of %zu bytes is over the limit of %lld (--max-bytes)", p->queue.name, len,
		     (long long)p->max_bytes);
		p->refused++;
		p->status = worse(p->status, DQ_DATA);
		return 0;
	}
	if (!p->id && ulid_next(&p->ulid, (uint64_t)clock_wall(), id, &e) < 0)
		return lost(p, &e);
	p->record.len = 0;
	if (buf_add(&p->record, p->header.bytes, p->header.len) < 0 || (len && buf_add(&p->record, payload, len) < 0)) {
		err_memory(&e);
		return lost(p, &e);
	}
	texts[2] = p->record.bytes;
	lens[0] = strlen(texts[0]);
	lens[1] = strlen(texts[1]);
	lens[2] = p->record.len;
	if (bulk_add(&p->bulk, &p->queue, texts, lens, &e) < 0)
		return lost(p, &e);
	return flush_names(p);
}

static int settle(struct put *p)
{
	struct err e;

	if (bulk_finish(&p->bulk, &e) < 0)
		return lost(p, &e);
	return flush_names(p);
}

/* put_stdin puts each record, until one batch was refused for a reason that will meet the next one too. */
static void put_stdin(struct put *p)
{
	struct input in;
	char *record;
	size_t len;
	struct err e;
	int failed = 0;

	input_init(&in, STDIN_FILENO, p->conn.conf.stop_fd, p->delimiter, (size_t)p->max_bytes);
	while (!failed && p->status < DQ_UNAVAILABLE) {
		if (input_waits(&in) && settle(p) < 0)
			break;
		switch (input_next(&in, &record, &len, &e)) {
		case INPUT_END:
			input_free(&in);
			return;
		case INPUT_ERROR:
			if (e.status != DQ_STOPPED)
				warn("standard input: %s", e.text);
			p->status = worse(p->status, e.status);
			failed = 1;
			break;
		case INPUT_TOO_LONG:
			warn("%s: not put: a payload over the limit of %lld bytes (--max-bytes)", p->queue.name,
			     (long long)p->max_bytes);
			p->refused++;
			p->status = worse(p->status, DQ_DATA);
			break;
		case INPUT_RECORD:
			failed = add(p, record, len);
			break;
		}
	}
	if (p->many && p->status >= DQ_UNAVAILABLE)
		warn("%s: the rest of standard input was not read: %zu accepted, %zu refused, %zu unknown", p->queue.name,
		     p->accepted, p->refused, p->unknown + p->bulk.unanswered);
	input_free(&in);
}

static void put_all(struct put *p, char **payloads)
{
	if (!*payloads) {
		put_stdin(p);
		return;
	}
	for (; *payloads && p->status < DQ_UNAVAILABLE; payloads++) {
		if (!strcmp(*payloads, "-"))
			put_stdin(p);
		else if (add(p, *payloads, strlen(*payloads)) < 0)
			return;
	}
}

static void start_bulk(struct put *p, const char *queue)
{
	const struct bulk_conf conf = {.script = &script_put, .width = 3, .fixed_count = 4, .fixed = {"", "fail", "100", ""},
				       .repeat_at = 1, .repeat = "repeat", .registers = true, .each = on_result,
				       .refused = on_refused, .ctx = p};

	queue_init(&p->queue, &p->conn, p->opt.prefix, queue);
	bulk_init(&p->bulk, &p->conn, &conf);
}

int main(int argc, char **argv)
{
	struct put p = {.delimiter = -1, .max_bytes = QUEUE_PAYLOAD_MAX, .message = {QUEUE_TTR_MS, QUEUE_TRIES}};

	opt_start(&p.opt, "dq-put");
	parse(&p, argc, argv);
	if (message_header(&p.message, &p.header) < 0)
		die(DQ_INTERNAL, "out of memory");
	opt_connect(&p.opt, &p.conn, stop_catch());
	start_bulk(&p, argv[optind]);
	put_all(&p, argv + optind + 1);
	if (p.status < DQ_STOPPED && p.conn.redis)
		settle(&p);
	if (p.opt.verbose)
		warn("%s: %zu accepted, %zu refused", p.queue.name, p.accepted, p.refused);
	bulk_free(&p.bulk);
	buf_free(&p.header);
	buf_free(&p.record);
	conn_close(&p.conn);
	finish(p.status);
}
