/* dq-take: leases messages and prints them. */
#include <stdio.h>
#include <stdlib.h>

#include "clock.h"
#include "die.h"
#include "opt.h"
#include "out.h"
#include "record.h"
#include "sock.h"
#include "stop.h"
#include "take.h"

static const char usage[] =
	"usage: dq-take [-n N] [-w DUR | -f] [-t DUR] [-0 | --json] [--ack] QUEUE...\n"
	"Leases messages that are due and prints them, RECEIPT TAB PAYLOAD (escaped as jq's @tsv). A message that is not settled\n"
	"by dq-ack within its time to run is delivered again. Exit 1 if nothing is due.\n"
	"  -n, --count N            at most N messages (1; at most 1000); with -f, N in one call\n"
	"  -w, --wait DUR           wait so long for the first one (0)\n"
	"  -f, --follow             go on for ever\n"
	"  -t, --ttr DUR            length of these leases (each message's own)\n"
	"  -0, --null               RECEIPT NUL PAYLOAD NUL\n"
	"      --json               a JSON object a line; payload_base64 where the payload is not UTF-8\n"
	"      --ack                settle each message once it is written out: at most once, no dq-ack\n"
	"      --no-promote         leave moving what is due to dq-promote\n" OPT_USAGE;

enum { OPT_JSON = OPT_OWN, OPT_NO_PROMOTE, OPT_ACK };

struct taker {
	struct opt opt;
	struct conn conn;
	struct queue *queues;
	int queue_count;
	struct take take;
	struct take_conf conf;
	struct buf record;
	enum record_format format;
	int64_t wait;        /* ms */
	bool follow, ack;
	int64_t pause;       /* ms until a look is worth while, as the last round saw it */
	int printed;
	enum status status;
};

static void parse_option(struct taker *t, int c, char **argv)
{
	switch (c) {
	case 'n':
		t->conf.count = (int)opt_number("-n", optarg, 1, QUEUE_BATCH);
		break;
	case 'w':
		t->wait = opt_duration("-w", optarg);
		break;
	case 'f':
		t->follow = true;
		break;
	case 't':
		t->conf.ttr = opt_duration("-t", optarg);
		if (t->conf.ttr < 1)
			die_usage("-t: a lease is at least 1ms");
		break;
	case '0':
	case OPT_JSON:
		if (t->format != RECORD_TSV && t->format != (c == '0' ? RECORD_NUL : RECORD_JSON))
			die_usage("only one of -0 and --json");
		t->format = c == '0' ? RECORD_NUL : RECORD_JSON;
		break;
	case OPT_ACK:
		t->ack = true;
		break;
	case OPT_NO_PROMOTE:
		t->conf.promote = false;
		break;
	default:
		opt_common(&t->opt, c, argv, usage);
	}
}

static void parse(struct taker *t, int argc, char **argv)
{
	static const struct option options[] = {OPT_LONG,
						{"count", required_argument, NULL, 'n'},
						{"wait", required_argument, NULL, 'w'},
						{"follow", no_argument, NULL, 'f'},
						{"ttr", required_argument, NULL, 't'},
						{"null", no_argument, NULL, '0'},
						{"json", no_argument, NULL, OPT_JSON},
						{"ack", no_argument, NULL, OPT_ACK},
						{"no-promote", no_argument, NULL, OPT_NO_PROMOTE},
						OPT_END};
	int c;

	while ((c = getopt_long(argc, argv, OPT_SHORT "n:w:ft:0", options, NULL)) != -1)
		parse_option(t, c, argv);
	if (optind == argc)
		die_usage("no queue given");
	if (t->follow && t->wait >= 0)
		die_usage("only one of -w and -f");
	for (int i = optind; i < argc; i++)
		opt_queue(argv[i]);
}

static void make_queues(struct taker *t, char **names)
{
	while (names[t->queue_count])
		t->queue_count++;
	t->queues = calloc((size_t)t->queue_count, sizeof *t->queues);
	if (!t->queues)
		die(DQ_TEMPORARY, "out of memory");
	for (int i = 0; i < t->queue_count; i++)
		queue_init(&t->queues[i], &t->conn, t->opt.prefix, names[i]);
}

/* give_back returns deliveries that nobody got to see, whatever signal wants us gone. */
static void give_back(struct taker *t, struct queue *q, size_t from)
{
	struct err e;

	t->conn.conf.stop_fd = -1;
	if (t->conn.conf.timeout > 2000)
		t->conn.conf.timeout = 2000;
	if (take_return(&t->take, q, from, &e) < 0)
		warn("%s: %zu messages could not be given back and come again when their leases end: %s", q->name,
		     t->take.count - from, e.text);
}

/* undelivered: the i-th could not be written; it and what follows go back. */
static void undelivered(struct taker *t, struct queue *q, size_t i, const struct err *e)
{
	struct delivery d;

	take_delivery(&t->take, i, &d);
	if (e->status != DQ_STOPPED)
		warn("%s/%s: not delivered: %s", q->name, d.id, e->text);
	give_back(t, q, i);
	t->status = worse(t->status, e->status);
}

/* print writes what was taken. With --ack what was written is settled, so that a record is lost only if its reader loses it. */
static int print(struct taker *t, struct queue *q)
{
	struct err e;
	size_t i;
	bool whole;

	for (i = 0; i < t->take.count; i++) {
		t->record.len = 0;
		if (record_add(&t->record, t->format, q->name, &t->take, i, &e) < 0 ||
		    out_write(t->record.bytes, t->record.len, &e) < 0)
			break;
		t->printed++;
	}
	whole = i == t->take.count;
	if (!whole)
		undelivered(t, q, i, &e);
	if (t->ack && take_ack(&t->take, q, i, &e) < 0) {
		warn("%s: %zu messages were written but %s settled: %s", q->name, i,
		     e.fate == FATE_UNKNOWN ? "perhaps not" : "not", e.text);
		t->status = worse(t->status, e.status);
		return -1;
	}
	return whole ? 0 : -1;
}

/* late_answer: a signal came while an answer was on its way; what it brings goes back. */
static void late_answer(struct taker *t, struct queue *q)
{
	struct err e;

	t->conn.conf.stop_fd = -1;
	t->conn.conf.timeout = 1000;
	if (take_recv(&t->take, q, &e) == 0)
		give_back(t, q, 0);
}

/* round takes from each queue in turn, first come first served. 1 something was printed, 0 nothing is due, -1 error (*e says
 * it, or status holds it already and e->status is DQ_DONE). */
static int take_round(struct taker *t, struct err *e)
{
	int wanted = t->conf.count, before = t->printed;
	bool more = false;

	t->pause = 1000;
	for (int i = 0; i < t->queue_count && wanted > 0; i++) {
		struct take_conf conf = t->conf;
		conf.count = wanted;
		if (take_run(&t->take, &t->queues[i], &conf, e) < 0) {
			if (e->status == DQ_STOPPED && t->conn.redis)
				late_answer(t, &t->queues[i]);
			return -1;
		}
		wanted -= (int)t->take.count;
		if (t->take.next >= 0 && t->take.next - t->take.now < t->pause)
			t->pause = t->take.next - t->take.now;
		more = more || t->take.more;
		if (print(t, &t->queues[i]) < 0) {
			e->status = DQ_DONE;
			return -1;
		}
	}
	if (more)
		t->pause = 0;
	else if (t->pause < 100)
		t->pause = 100;
	return t->printed > before;
}

/* reconnect: the connection or the server is away. -f waits for ever, -w as long as it waits at all. */
static int reconnect(struct taker *t, int64_t deadline, struct err *e)
{
	char shown[URL_TEXT];

	if (e->status != DQ_TEMPORARY || deadline == 0)
		return -1;
	url_shown(&t->conn.conf.url, shown);
	warn("%s: %s: connecting again", shown, e->text);
	if (sock_wait(-1, 0, clock_ms() + 100, t->conn.conf.stop_fd, e) < 0)
		return -1;
	return conn_reopen(&t->conn, deadline, e);
}

/* run takes until there was something, the wait is over, or for ever. deadline: 0 = do not wait, -1 = for ever. */
static enum status run(struct taker *t)
{
	int64_t deadline = t->follow ? -1 : t->wait > 0 ? clock_ms() + t->wait : 0;
	struct err e;

	for (;;) {
		int got = take_round(t, &e);
		if (got > 0 && !t->follow)
			return DQ_DONE;
		if (got < 0 && e.status == DQ_DONE)
			return t->status;
		if (got < 0 && reconnect(t, deadline, &e) < 0)
			break;
		if (got != 0 || t->pause == 0)
			continue;
		if (deadline >= 0 && clock_ms() >= deadline)
			return DQ_NO;
		int64_t until = clock_ms() + t->pause;
		if (sock_wait(-1, 0, deadline >= 0 && deadline < until ? deadline : until, t->conn.conf.stop_fd, &e) < 0)
			break;
	}
	if (e.status != DQ_STOPPED)
		warn("%s%s: %s", t->queues[0].name, t->queue_count > 1 ? "..." : "", e.text);
	return e.status;
}

int main(int argc, char **argv)
{
	struct taker t = {.conf = {.count = 1, .ttr = -1, .promote = true}, .wait = -1};
	enum status status;

	opt_start(&t.opt, "dq-take");
	parse(&t, argc, argv);
	opt_connect(&t.opt, &t.conn, stop_catch());
	make_queues(&t, argv + optind);
	status = run(&t);
	if (t.opt.verbose)
		warn("%d taken", t.printed);
	take_free(&t.take);
	buf_free(&t.record);
	free(t.queues);
	conn_close(&t.conn);
	finish(status);
}
