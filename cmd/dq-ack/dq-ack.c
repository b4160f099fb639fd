/* dq-ack: settles deliveries. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "bulk/pipeline.h"
#include "queue/queue_set.h"
#include "message/said_pipe.h"
#include "message/settle.h"
#include "redis/nodes.h"
#include "say.h"
#include "tool/args.h"
#include "tool/die.h"
#include "tool/durably.h"
#include "tool/opt.h"
#include "tool/patience.h"
#include "tool/stop.h"

static const char usage[] =
	"usage: dq-ack [-q] [-r [-d DUR] | -b | -x DUR | -g [-d DUR | -a TIME]] [-m TEXT]\n"
	"              [RECEIPT...]\n"
	"Settles deliveries: without an option the messages are done and gone. RECEIPT\n"
	"is what dq-take printed, QUEUE/ID@TOKEN; without RECEIPT the first\n"
	"TAB-separated field of each line of standard input is one. Exit 1 if a receipt\n"
	"is no longer valid.\n"
	"  -r, --retry              failed: retry by the message's schedule; dead when\n"
	"                           its tries are used up\n"
	"  -d, --delay DUR          with -r: retry after DUR instead; with -g: give back\n"
	"                           for DUR\n"
	"  -a, --at TIME            with -g: give back until TIME, @EPOCH or RFC 3339\n"
	"  -b, --bury               failed permanently: dead at once\n"
	"  -x, --extend DUR         not finished: the lease ends DUR from now\n"
	"  -g, --give-back          not tried: ready again, and the try does not count\n"
	"  -m, --message TEXT       with -r, -b and -g: the reason, kept with the message\n"
	"                           when done: the result, kept if dq-put said --keep\n"
	"  -q, --quiet              do not report receipts that are not valid, or reading\n"
	"                           from a terminal\n" PATIENCE_USAGE DURABLY_USAGE OPT_USAGE;

#define SLOW_US 150 /* of a call: the server is busy, or far away */
#define STREAM 8    /* calls in a row, each within SLOW_US of the reply before */
#define GATHER_MS 5

struct ack {
	struct opt opt;
	struct exchange x;
	struct queue_set queues;
	struct pipeline pipeline;
	int verb;              /* letter of the option; 0 = done */
	char amount[LINE_DUE]; /* of -d or -x: ms; of -a: @ms */
	int amount_of;         /* the letter of that option */
	const char *reason;
	bool quiet;
	bool started;          /* x and pipeline are in use */
	int stop_fd;
	bool slow;             /* the last call took SLOW_US or longer */
	int stream;            /* so many calls in a row followed the reply before within SLOW_US */
	int64_t replied;       /* clock_us, to the last call */
	int64_t gather_until;  /* clock_ms; 0: not yet waiting for more */
	size_t done, dead;
	enum status status;
};

static const enum settle_verb verbs[] = {
	['r'] = SETTLE_RETRY, ['b'] = SETTLE_BURY, ['x'] = SETTLE_EXTEND, ['g'] = SETTLE_GIVE_BACK};

static const char *why_not(const struct ack *a, const struct pipeline_result *r)
{
	if (r->letter == SETTLED_ABSENT)
		return "settled already, or removed";
	if (a->verb == 'x')
		return "not settled: the lease expired, or this receipt is no longer valid";
	return "not settled: this receipt is no longer valid";
}

static void on_result(void *ctx, const struct pipeline_result *r)
{
	struct ack *a = ctx;
	bool settled = r->letter == SETTLED_OK || r->letter == SETTLED_DEAD;

	if (r->unconfirmed && (settled || !r->repeated)) {
		a->status = worse(a->status, r->unconfirmed->status);
		warn("%s/%s@%s: %s, %s", r->queue->name, r->id, r->second,
		     settled ? "settled" : why_not(a, r), r->unconfirmed->text);
		return;
	}
	if (settled) {
		a->done += r->letter == SETTLED_OK;
		a->dead += r->letter == SETTLED_DEAD;
		return;
	}
	if (r->repeated) {
		/* The connection was lost before the reply to the first sending. */
		a->status = worse(a->status, DQ_TEMPORARY);
		warn("%s/%s@%s: not known whether it was settled: the connection was lost",
		     r->queue->name, r->id, r->second);
		return;
	}
	a->status = worse(a->status, DQ_NO);
	if (!a->quiet)
		warn("%s/%s@%s: %s", r->queue->name, r->id, r->second, why_not(a, r));
}

static void on_refused(void *ctx, const struct queue *queue, size_t n, const struct err *e)
{
	struct ack *a = ctx;

	a->status = worse(a->status, e->status);
	warn("%s: %zu receipt%s %s: %s", queue->name, n, n == 1 ? "" : "s",
	     e->fate == FATE_UNKNOWN ? "perhaps not settled" : "not settled", e->text);
}

/* lost reports an error after which no reply comes; the tool cannot continue. */
static int lost(struct ack *a, const struct err *e)
{
	a->status = worse(a->status, e->status);
	if (!pipeline_wind_up(&a->pipeline, e))
		warn("%s%s: %zu settled, %zu unknown, %zu not sent", a->pipeline.object, e->text,
		     a->done, a->pipeline.unanswered, a->pipeline.unsent);
	return -1;
}

/* start connects, and begins the calls that the options ask for; once. */
static void start(struct ack *a)
{
	struct settle_call how = settle_call(verbs[a->verb], a->amount, a->reason ? a->reason : "");
	struct pipeline_conf conf = {.script = how.script, .width = 2,
				     .fixed_count = how.fixed_count, .repeat_at = -1,
				     .letters = settle_letters, .each = on_result,
				     .refused = on_refused, .ctx = a};

	if (a->started)
		return;
	a->started = true;
	durably_connect(&a->opt, &a->x, a->stop_fd);
	for (int i = 0; i < how.fixed_count; i++)
		conf.fixed[i] = how.fixed[i];
	queue_set_init(&a->queues, &a->x, a->opt.prefix);
	pipeline_init(&a->pipeline, &a->x, &conf);
}

/* say: dq-run settles its own delivery, when this command has ended: here it only hears how. So
 * nothing is settled twice, and a command needs no password for it. */
static void say(struct ack *a, const struct name *name, int fd)
{
	struct err e;

	if (say_line(fd, verbs[a->verb], a->amount, a->reason ? a->reason : "", &e) == 0) {
		a->done++;
		return;
	}
	a->status = worse(a->status, e.status);
	if (!a->quiet || e.status != DQ_NO)
		warn("%s/%s@%s: not settled: %s", name->queue, name->id, name->token, e.text);
}

static int add(void *ctx, const char *word, size_t len, enum status bad)
{
	struct ack *a = ctx;
	struct name name;
	struct queue *queue;
	struct err e;
	int fd;

	if (name_parse(word, len, NAME_RECEIPT, &name, &e) < 0) {
		warn("%s", e.text);
		a->status = worse(a->status, bad);
		return 0;
	}
	if (a->verb != 'x' && (fd = said_pipe_open(name.queue, name.id, name.token)) >= 0) {
		say(a, &name, fd);
		if (fd != SAID_FD)
			close(fd);
		return 0;
	}
	start(a);
	queue = queue_set_find(&a->queues, name.queue);
	if (!queue)
		err_memory(&e);
	const char *texts[] = {name.id, name.token};
	const size_t lens[] = {strlen(name.id), strlen(name.token)};
	if (!queue || pipeline_add(&a->pipeline, queue, texts, lens, &e) < 0)
		return lost(a, &e);
	return 0;
}

static void settle(struct ack *a)
{
	struct err e;

	if (a->started && pipeline_finish(&a->pipeline, &e) < 0)
		lost(a, &e);
}

/* gathers: should receipts wait for more of them, until *until (clock_ms)? A call for several costs
 * the server little more than one for one, so a busy server gets fewer calls, and so does one that
 * a stream of receipts keeps busy. */
static bool gathers(struct ack *a, int64_t *until)
{
	int64_t now = clock_us();

	if (!a->pipeline.open)
		return false;
	if (!a->gather_until) {
		a->stream = now - a->replied < SLOW_US ? a->stream + 1 : 0;
		if (!a->slow && a->stream < STREAM)
			return false;
		a->gather_until = now / 1000 + GATHER_MS;
	}
	if (now / 1000 >= a->gather_until)
		return false;
	*until = a->gather_until;
	return true;
}

static int before_wait(void *ctx, struct meanwhile *meanwhile, int64_t *until)
{
	struct ack *a = ctx;
	int64_t asked;
	struct err e;

	if (!a->started || gathers(a, until))
		return 0;
	asked = clock_us();
	a->gather_until = 0;
	if (pipeline_flush(&a->pipeline, meanwhile, until, &e) < 0)
		return lost(a, &e);
	a->replied = clock_us();
	a->slow = a->replied - asked >= SLOW_US;
	return 0;
}

static void parse_verb(struct ack *a, int verb)
{
	if (a->verb && a->verb != verb)
		die_usage("only one of -r, -b, -x and -g");
	a->verb = verb;
}

static void parse_amount(struct ack *a, int option)
{
	if (a->amount_of)
		die_usage("only one of -d, -a and -x, and only once");
	a->amount_of = option;
	if (option == 'x')
		snprintf(a->amount, sizeof a->amount, "%lld",
			 (long long)opt_duration("-x", optarg));
	else
		opt_due(option, optarg, a->amount);
}

static void parse_option(struct ack *a, int c)
{
	switch (c) {
	case 'r':
	case 'b':
	case 'g':
		parse_verb(a, c);
		break;
	case 'x':
		parse_verb(a, c);
		/* fall through */
	case 'd':
	case 'a':
		parse_amount(a, c);
		break;
	case 'm':
		optarg[utf8_cut(optarg, strlen(optarg), SETTLE_REASON_MAX)] = '\0';
		a->reason = optarg;
		break;
	case 'q':
		a->quiet = true;
		break;
	default:
		durably_option(&a->opt, c, usage);
	}
}

/* parse returns the operands. */
static char **parse(struct ack *a, int argc, char **argv)
{
	static const struct option options[] = {OPT_LONG,
						{"retry", no_argument, NULL, 'r'},
						{"delay", required_argument, NULL, 'd'},
						{"at", required_argument, NULL, 'a'},
						{"bury", no_argument, NULL, 'b'},
						{"extend", required_argument, NULL, 'x'},
						{"give-back", no_argument, NULL, 'g'},
						{"message", required_argument, NULL, 'm'},
						{"quiet", no_argument, NULL, 'q'},
						PATIENCE_LONG,
						DURABLY_LONG,
						OPT_END};
	int c;

	while ((c = argv_next(argc, argv, OPT_SHORT "rd:a:bx:gm:q", options)) != -1)
		parse_option(a, c);
	if (a->amount_of == 'd' && a->verb != 'r' && a->verb != 'g')
		die_usage("-d: only with -r or -g");
	if (a->amount_of == 'a' && a->verb != 'g')
		die_usage("-a: only with -g");
	if (a->verb == 'x' && !strcmp(a->amount, "0"))
		die_usage("-x: a lease is at least 1ms");
	if (a->reason && a->verb == 'x')
		die_usage("-m: not with -x");
	return argv_operands(argc, argv).words;
}

int main(int argc, char **argv)
{
	struct ack a = {.status = DQ_DONE};
	struct args args = {.each = add, .before_wait = before_wait, .ctx = &a};
	enum status status;
	char **receipts;

	durably_start(&a.opt, "dq-ack");
	patience_start(&a.opt);
	receipts = parse(&a, argc, argv);
	args.words = a.quiet ? NULL : "receipts";
	args.stop_fd = opt_caught(stop_catch());
	a.stop_fd = args.stop_fd;
	if (!getenv(SAID_VARIABLE)) /* else perhaps no receipt needs Redis */
		start(&a);
	status = args_each(&args, receipts);
	settle(&a);
	a.status = worse(a.status, status);
	if (a.opt.verbose)
		warn("%zu settled%s", a.done, a.verb == 'r' ? " (delayed)" : "");
	if (a.opt.verbose && a.dead)
		warn("%zu dead: out of tries", a.dead);
	if (a.started) {
		pipeline_free(&a.pipeline);
		queue_set_free(&a.queues);
		exchange_close(&a.x);
	}
	finish(a.status);
}
