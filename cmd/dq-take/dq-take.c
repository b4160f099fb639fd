/* dq-take: leases messages and prints them. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "printer.h"
#include "queue/waiter.h"
#include "redis/sock.h"
#include "stream.h"
#include "tool/absent.h"
#include "tool/die.h"
#include "tool/link.h"
#include "tool/notice.h"
#include "tool/opt.h"
#include "tool/out.h"
#include "tool/stop.h"

static const char usage[] =
	"usage: dq-take [-q] [-n N] [-w DUR | -f | --until-empty] [-t DUR]\n"
	"               [-0 | --json] [--ack] QUEUE...\n"
	"Leases due messages and prints them, RECEIPT TAB PAYLOAD (escaped as by\n"
	"jq's @tsv). A message that is not settled before its lease expires is\n"
	"redelivered. Exit 1 if nothing is due.\n"
	"  -n, --count N            at most N messages (1); with -f and --until-empty,\n"
	"                           N in one round\n"
	"  -w, --wait DUR           wait up to DUR for the first one (0)\n"
	"  -f, --follow             continue for ever\n"
	"      --until-empty        continue until nothing is due (-n: 250)\n"
	"  -t, --ttr DUR            length of these leases (each message's own)\n"
	"  -0, --null               RECEIPT NUL PAYLOAD NUL\n"
	"      --json               one JSON object per line; payload_base64 if the\n"
	"                           payload is not UTF-8\n"
	"      --ack                ack each message as soon as it is written, without\n"
	"                           dq-ack: a message that the reader loses is lost\n"
	"      --no-promote         do not promote: leave this to dq-promote\n"
	"  -q, --quiet              do not report queues that do not exist yet\n" OPT_USAGE;

enum { OPT_JSON = OPT_OWN, OPT_NO_PROMOTE, OPT_ACK, OPT_UNTIL_EMPTY };

struct taker {
	struct opt opt;
	struct conn conn;
	struct queue *queues;
	int queue_count;
	struct stream stream;
	struct take_conf conf;
	struct printer printer;
	int64_t wait;        /* ms */
	bool follow, until_empty, ack, quiet;
	bool *known;         /* queues of which we know whether they exist, or have asked */
	struct session session;
	struct waiter waiter;
	bool waits, more;    /* more: the last round left something ready, or (--until-empty) due */
	bool unsure;         /* a reply was lost: messages that it leased are redelivered when their leases end */
	int at;              /* the queue that was looked at last */
	int printed;
	enum status status;
};

static void parse_option(struct taker *t, int c)
{
	switch (c) {
	case 'n':
		t->conf.count = (int)opt_number("-n", optarg, 1, INT_MAX);
		break;
	case 'w':
		t->wait = opt_duration("-w", optarg);
		break;
	case 'f':
		t->follow = true;
		break;
	case OPT_UNTIL_EMPTY:
		t->until_empty = true;
		break;
	case 't':
		t->conf.ttr = opt_duration("-t", optarg);
		if (t->conf.ttr < 1)
			die_usage("-t: a lease is at least 1ms");
		break;
	case '0':
	case OPT_JSON:
		if (t->printer.format != RECORD_TSV && t->printer.format != (c == '0' ? RECORD_NUL : RECORD_JSON))
			die_usage("only one of -0 and --json");
		t->printer.format = c == '0' ? RECORD_NUL : RECORD_JSON;
		break;
	case OPT_ACK:
		t->ack = true;
		break;
	case OPT_NO_PROMOTE:
		t->conf.promote = false;
		break;
	case 'q':
		t->quiet = true;
		break;
	default:
		opt_common(&t->opt, c, usage);
	}
}

/* parse returns the names of the queues. */
static char **parse(struct taker *t, int argc, char **argv)
{
	static const struct option options[] = {OPT_LONG,
						{"count", required_argument, NULL, 'n'},
						{"wait", required_argument, NULL, 'w'},
						{"follow", no_argument, NULL, 'f'},
						{"until-empty", no_argument, NULL, OPT_UNTIL_EMPTY},
						{"ttr", required_argument, NULL, 't'},
						{"null", no_argument, NULL, '0'},
						{"json", no_argument, NULL, OPT_JSON},
						{"ack", no_argument, NULL, OPT_ACK},
						{"no-promote", no_argument, NULL, OPT_NO_PROMOTE},
						{"quiet", no_argument, NULL, 'q'},
						OPT_END};
	struct operands queues;
	int c;

	while ((c = argv_next(argc, argv, OPT_SHORT "n:w:ft:0q", options)) != -1)
		parse_option(t, c);
	queues = argv_operands(argc, argv);
	if (!queues.count)
		die_usage("no queue given");
	if (t->follow + t->until_empty + (t->wait >= 0) > 1)
		die_usage("only one of -w, -f and --until-empty");
	if (t->printer.format == RECORD_TSV && isatty(STDOUT_FILENO))
		t->printer.format = RECORD_SHOWN;
	if (!t->conf.count)
		t->conf.count = t->until_empty ? QUEUE_BATCH : 1;
	for (int i = 0; i < queues.count; i++)
		opt_queue(queues.words[i]);
	return queues.words;
}

static void make_queues(struct taker *t, char **names)
{
	while (names[t->queue_count])
		t->queue_count++;
	t->queues = calloc((size_t)t->queue_count, sizeof *t->queues);
	t->known = calloc((size_t)t->queue_count, sizeof *t->known);
	if (!t->queues || !t->known)
		die(DQ_TEMPORARY, "out of memory");
	for (int i = 0; i < t->queue_count; i++)
		queue_init(&t->queues[i], &t->conn, t->opt.prefix, names[i]);
}

/* give_back returns deliveries that nobody got to see, whatever signal wants us gone, and what was asked for ahead. */
static void give_back(struct taker *t, struct queue *q, size_t from, int64_t ms)
{
	const struct wait soon = wait_firm(&t->conn.conf.wait, ms);
	struct err e;
	size_t lost;

	if (stream_return(&t->stream, q, from, &lost, &soon, &e) < 0)
		warn("%s: %zu messages could not be given back and are redelivered when their leases end: %s", q->name, lost, e.text);
}

/* undelivered: the i-th could not be written; it and what follows go back. */
static void undelivered(struct taker *t, struct queue *q, size_t i, const struct err *e)
{
	struct delivery d;

	take_delivery(&t->stream.take, i, &d);
	if (e->status != DQ_STOPPED)
		warn("%s/%s: not delivered: %s", q->name, d.id, e->text);
	give_back(t, q, i, 2000);
	t->status = worse(t->status, e->status);
}

/* reconnect: the connection or the server is away, or will not serve us now. -f waits for ever, -w as long as it waits at all
 * (then *e is as it was). */
static int reconnect(struct taker *t, int64_t deadline, struct err *e)
{
	struct wait wait = t->conn.conf.wait;

	if (deadline == 0 || (e->status != DQ_TEMPORARY && e->status != DQ_UNAVAILABLE))
		return -1;
	waiter_lost(&t->waiter);
	session_lost(&t->session, t->queues[t->at].name, e);
	wait.until = deadline > 0 ? deadline : 0;
	if (session_again(&t->session, &wait, e) == 0)
		return 0;
	if (t->session.status != DQ_DONE)
		e->status = DQ_DONE; /* said already */
	return -1;
}

/* settle_written settles the first n, which were written, whoever wants us gone. -f does not give up while Redis is away: to
 * settle twice is safe. */
static int settle_written(struct taker *t, struct queue *q, size_t n)
{
	const struct wait firm = wait_firm(&t->conn.conf.wait, t->conn.conf.wait.timeout);
	struct err e, late;
	int failed;

	do {
		failed = take_ack(&t->stream.take, q, n, &firm, &e);
		late = e;
	} while (failed && t->follow && reconnect(t, -1, &late) == 0);
	if (!failed)
		return 0;
	warn("%s: %zu messages were written but %s settled: %s", q->name, n, e.fate == FATE_UNKNOWN ? "perhaps not" : "not",
	     e.text);
	t->status = worse(t->status, e.status);
	return -1;
}

/* print writes what was taken. With --ack what was written is settled, so that a record is lost only if its reader loses it. */
static int print(struct taker *t, struct queue *q)
{
	struct err e;
	struct take *take = &t->stream.take;
	size_t i = printer_write(&t->printer, q->name, take, &e);
	bool whole;

	t->printed += (int)i;
	whole = i == take->count;
	if (!whole)
		undelivered(t, q, i, &e);
	if (t->ack && settle_written(t, q, i) < 0)
		return -1;
	return whole ? 0 : -1;
}

/* late_answer: a signal came while an answer was on its way; what it brings goes back. */
static void late_answer(struct taker *t, struct queue *q)
{
	const struct wait soon = wait_firm(&t->conn.conf.wait, 1000);
	struct err e;

	if (t->stream.ahead)
		give_back(t, q, t->stream.take.count, 1000);
	else if (take_recv(&t->stream.take, q, &soon, &e) == 0)
		give_back(t, q, 0, 1000);
	notice_say(q);
}

/* looked: whoever got something turns to work, and its marks go to those who still wait. If that fails the next call to
 * Redis tells. */
static void looked(struct taker *t, int queue, int64_t asked)
{
	struct err e;

	notice_say(&t->queues[queue]);
	t->known[queue] = t->known[queue] || t->stream.take.count > 0;
	if (t->stream.take.paused && t->opt.verbose)
		warn("%s: paused", t->queues[queue].name);
	if (!t->waits)
		return;
	waiter_looked(&t->waiter, queue, t->stream.take.now_us, asked, t->stream.take.count > 0);
	if (t->stream.take.count > 0)
		waiter_rest(&t->waiter, NULL, &e);
}

/* goes_on: would another call bring more of that queue now? Besides what is ready there may be what is due: a call moves only a batch
 * of it. Not where the queue is paused: that moves, and gives nothing. */
static bool goes_on(const struct taker *t, const struct take *take)
{
	return take->more || (t->conf.promote && !take->paused && take->next >= 0 && take->next <= take->now);
}

/* round takes from each queue in turn, first come first served. 1 something was printed, 0 nothing is due, -1 error (*e says
 * it, or status holds it already and e->status is DQ_DONE). */
static int take_round(struct taker *t, struct err *e)
{
	int wanted = t->conf.count, before = t->printed;
	struct take *take = &t->stream.take;

	t->more = false;
	for (int i = 0; i < t->queue_count && wanted > 0; i += !goes_on(t, take)) {
		struct take_conf conf = t->conf;
		int64_t asked = t->stream.ahead ? -1 : clock_us();
		t->at = i;
		conf.held = waiter_held(&t->waiter, i);
		conf.count = wanted < QUEUE_BATCH ? wanted : QUEUE_BATCH;
		if (stream_take(&t->stream, &t->queues[i], &conf, NULL, e) < 0) {
			t->unsure = t->unsure || e->fate == FATE_UNKNOWN;
			if (e->status == DQ_STOPPED && t->conn.redis)
				late_answer(t, &t->queues[i]);
			return -1;
		}
		session_answered(&t->session);
		wanted -= (int)take->count;
		t->more = t->more || (t->until_empty && t->conf.promote ? take_due(take) : take->more);
		looked(t, i, asked);
		conf.held = waiter_held(&t->waiter, i);
		if ((t->follow || t->until_empty) && !t->ack && t->queue_count == 1) /* only then is the next call certain */
			stream_ask(&t->stream, &t->queues[i], &conf);
		if (print(t, &t->queues[i]) < 0) {
			e->status = DQ_DONE;
			return -1;
		}
	}
	return t->printed > before;
}

/* sleep_on waits until a look is worth while: 1; 0 when the deadline (clock_ms, -1 = none) passed; -1 error. */
static int sleep_on(struct taker *t, int64_t deadline, struct err *e)
{
	int status;

	if (t->more)
		return 1;
	status = waiter_sleep(&t->waiter, deadline < 0 ? -1 : deadline * 1000, STDOUT_FILENO, NULL, e);
	return status == 1 ? out_check(e) : status; /* no use in taking what nobody reads */
}

/* leave takes back the open wait, whatever signal wants us gone. */
static void leave(struct taker *t)
{
	const struct wait soon = wait_firm(&t->conn.conf.wait, 1000);
	struct err e;

	if (t->waits && t->conn.redis)
		waiter_rest(&t->waiter, &soon, &e); /* if it fails, the others look by themselves within seconds */
}

/* absent speaks of queues that do not exist yet. Each is asked for once, after it gave nothing; not while an answer is on its way. */
static int absent(struct taker *t, struct err *e)
{
	for (int i = 0; i < t->queue_count && !t->quiet && !t->stream.ahead; i++) {
		if (t->known[i])
			continue;
		t->known[i] = true;
		t->at = i;
		if (absent_say(&t->queues[i], t->waits ? ABSENT_WAIT : ABSENT_PUT, false, e) < 0)
			return -1;
	}
	return 0;
}

/* nothing: there was none, as far as we know. */
static enum status nothing(struct taker *t)
{
	struct err e;

	if (!t->unsure) {
		if (!t->waits)
			absent(t, &e); /* that nothing is due is known, whatever comes of this */
		return DQ_NO;
	}
	warn("%s%s: a reply was lost: messages that it leased are redelivered when their leases end", t->queues[0].name,
	     t->queue_count > 1 ? "..." : "");
	return DQ_TEMPORARY;
}

/* run takes until there was something, nothing is left, the wait is over, or for ever. deadline: 0 = do not wait, -1 = for ever. */
static enum status run(struct taker *t)
{
	int64_t deadline = t->follow ? -1 : t->wait > 0 ? clock_ms() + t->wait : 0;
	struct err e;
	int got;

	for (;;) {
		got = take_round(t, &e);
		if (got > 0 && !t->follow && !t->until_empty)
			return DQ_DONE;
		if (got < 0 && e.status == DQ_DONE)
			return t->status;
		if (got >= 0 && t->until_empty) {
			if (got > 0 || t->more)
				continue;
			return t->printed ? DQ_DONE : nothing(t);
		}
		if (got == 0 && !t->waits)
			return nothing(t);
		if (got >= 0 && absent(t, &e) < 0)
			got = -1;
		if (got == 0)
			got = sleep_on(t, deadline, &e);
		if (got == 0)
			return nothing(t);
		if (got < 0 && t->printed && !t->follow)
			break; /* -n counts what is printed already, and waiting on would hide it */
		if (got < 0 && reconnect(t, deadline, &e) < 0)
			break;
	}
	if (e.status == DQ_DONE)
		return worse(t->status, t->session.status);
	if (e.status != DQ_STOPPED)
		warn("%s: %s", t->queues[t->at].name, e.text);
	return e.status;
}

int main(int argc, char **argv)
{
	struct taker t = {.conf = {.ttr = -1, .promote = true}, .wait = -1};
	enum status status;
	char **names;
	int what = 0;
	struct err e;

	opt_start(&t.opt, "dq-take");
	names = parse(&t, argc, argv);
	opt_connect(&t.opt, &t.conn, opt_caught(stop_catch()));
	make_queues(&t, names);
	t.waits = t.follow || t.wait > 0;
	t.session.conn = &t.conn;
	t.session.report = link_report;
	if (t.waits)
		what = WAITER_READY | (t.conf.promote ? WAITER_TIME : 0);
	if (waiter_init(&t.waiter, &t.conn, t.queues, t.queue_count, what, &e) < 0)
		die(e.status, "%s", e.text);
	status = run(&t);
	leave(&t);
	if (t.opt.verbose)
		warn("%d taken", t.printed);
	waiter_free(&t.waiter);
	stream_free(&t.stream);
	printer_free(&t.printer);
	free(t.queues);
	free(t.known);
	conn_close(&t.conn);
	finish(status);
}
