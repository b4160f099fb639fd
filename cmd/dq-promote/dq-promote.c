/* dq-promote: moves what is due to ready, and what ran out of its lease back. */
#include <string.h>

#include "base/text.h"
#include "tool/absent.h"
#include "tool/args.h"
#include "tool/confirm.h"
#include "tool/die.h"
#include "tool/opt.h"
#include "tool/redrive.h"
#include "tool/stop.h"
#include "watch.h"

static const char usage[] =
	"usage: dq-promote [-q] [-n N] [--dry-run] [QUEUE|NAME...]\n"
	"       dq-promote -f [-q] [-n N] [--for DUR] [QUEUE...]\n"
	"       dq-promote --dead [-q] [-n N] [--rate N] [--dry-run] [QUEUE|NAME...]\n"
	"       dq-promote --release [-q] [-n N] [--dry-run] [NAME...]\n"
	"       dq-promote --pause | --resume QUEUE...\n"
	"Promotes all queues, or the named ones: due messages become ready, messages with\n"
	"an expired lease become ready again (or dead, out of tries), expired messages\n"
	"are removed. NAME, QUEUE/ID, is made ready now, even before its due time.\n"
	"Silent if all is well.\n"
	"  -f, --follow             continue for ever; sleeps until the next message is\n"
	"                           due\n"
	"      --for DUR            with -f: end after DUR\n"
	"      --dead               redrive dead messages, with all their tries: named\n"
	"                           ones, or all of a QUEUE; without operands, the first\n"
	"                           TAB-separated field of each line of standard input\n"
	"                           is one of these\n"
	"      --release            end leases, because the consumer is gone: ready\n"
	"                           now, or dead, out of tries; their receipts are no\n"
	"                           longer valid; without operands as --dead\n"
	"  -n, --count N            at most N messages in all\n"
	"      --rate N             with --dead: at most N a second\n"
	"      --pause              deliver no messages of the QUEUE\n"
	"      --resume             deliver messages again\n"
	"      --dry-run            change nothing, print the names of messages that are\n"
	"                           due, dead, or leased\n"
	"  -q, --quiet              do not report messages that were not moved, queues\n"
	"                           that do not exist yet, or a lost connection that\n"
	"                           returned\n" OPT_USAGE;

enum { OPT_FOR = OPT_OWN, OPT_DEAD, OPT_RELEASE, OPT_RATE, OPT_PAUSE, OPT_RESUME, OPT_DRY_RUN };

struct promoter {
	struct opt opt;
	struct conn conn;
	struct queue_set queues;
	struct redrive redrive; /* its many.done counts what queues promoted, too */
	char **names;           /* operands; none = all */
	bool follow;
	int pausing;            /* OPT_PAUSE, OPT_RESUME, or 0 */
	int64_t lasts;          /* ms for --for, -1 = for ever */
	long long back, died, expired;
	bool refused;           /* the queue at work could not be moved */
	enum status status;     /* of the last sweep */
};

static bool is_over(const struct promoter *p)
{
	return stop_signal() || apply_left(&p->redrive.apply) == 0;
}

/* promote_queue moves all that is due, in short calls. */
static int promote_queue(struct promoter *p, struct queue *q, struct err *e)
{
	struct queue_moved moved;

	do {
		int64_t left = apply_left(&p->redrive.apply);
		if (queue_promote(q, left < QUEUE_BATCH ? (int)left : QUEUE_BATCH, HELD_NONE, &moved, e) < 0)
			return -1;
		p->redrive.apply.done += moved.promoted;
		p->back += moved.back;
		p->died += moved.died;
		p->expired += moved.expired;
		progress_tick(&p->redrive.apply.progress, p->redrive.apply.done, 0);
	} while (moved.more && !is_over(p));
	return 0;
}

static int failed(struct promoter *p, const struct queue *q, const char *word, const struct err *e)
{
	p->refused = true;
	p->status = worse(p->status, e->status);
	if (e->status != DQ_STOPPED)
		warn("%s: not %s: %s", q->name, word, e->text);
	return p->conn.redis && e->status != DQ_STOPPED ? 0 : -1;
}

static void promote_ahead(void *ctx, struct call *call, struct queue *q)
{
	(void)ctx;
	queue_promote_ahead(call, q);
}

/* sweep_queue: a queue with a broken key must not keep the others from moving. */
static int sweep_queue(void *ctx, struct queue *q)
{
	struct promoter *p = ctx;
	struct err e;

	if (p->redrive.dry)
		return apply_state(&p->redrive.apply, q, "due", -1) == DQ_STOPPED ? -1 : 0;
	if (is_over(p))
		return -1;
	return promote_queue(p, q, &e) == 0 ? 0 : failed(p, q, "promoted", &e);
}

/* doubt: a queue that does not exist yet may be a mistyped name, and the one that was meant goes on. */
static int doubt(struct promoter *p, struct queue *q, const char *meaning)
{
	struct err e;

	if (p->redrive.quiet || absent_say(q, meaning, false, &e) >= 0)
		return 0;
	p->status = worse(p->status, e.status);
	if (e.status != DQ_STOPPED)
		warn("%s: %s", q->name, e.text);
	return -1;
}

static int pause_queue(void *ctx, struct queue *q)
{
	struct promoter *p = ctx;
	const char *word = p->pausing == OPT_PAUSE ? "paused" : "resumed";
	struct err e;
	bool was;

	if (queue_pause(q, p->pausing == OPT_PAUSE, &was, &e) == 0) {
		if (p->opt.verbose)
			warn("%s: %s: it was %s", q->name, word, was ? "paused" : "not paused");
		return doubt(p, q, p->pausing == OPT_PAUSE ? "paused all the same" : ABSENT_PUT);
	}
	return failed(p, q, word, &e);
}

static enum status each_queue(struct promoter *p, int (*each)(void *ctx, struct queue *q))
{
	struct err e;

	p->status = DQ_DONE;
	if (queue_set_each(&p->queues, p->names, each, p, &e) < 0 && e.status != DQ_DONE) {
		p->status = worse(p->status, e.status);
		if (e.status != DQ_STOPPED)
			warn("%s:queues: %s", p->opt.prefix, e.text);
	}
	return p->status;
}

static enum status follow(struct promoter *p)
{
	struct watch w = {.conn = &p->conn, .prefix = p->opt.prefix, .names = p->names, .lasts = p->lasts,
			  .limit = p->redrive.limit, .quiet = p->redrive.quiet};
	enum status status = watch_run(&w);

	p->redrive.apply.done = w.promoted;
	p->back = w.back;
	p->died = w.died;
	p->expired = w.expired;
	return status;
}

/* forms: what an operand may be. */
static int forms(const struct promoter *p)
{
	return p->redrive.release ? NAME_MESSAGE : NAME_QUEUE | NAME_MESSAGE;
}

static long long moved(const struct promoter *p)
{
	return p->redrive.apply.done + p->back + p->died + p->expired;
}

/* each_named moves what a named queue holds; if that is nothing, it may not even exist. */
static enum status each_named(struct promoter *p, struct queue *q)
{
	enum status status;
	long long before;

	if (apply_finish(&p->redrive.apply) == DQ_STOPPED)
		return DQ_STOPPED;
	before = moved(p);
	p->refused = p->redrive.apply.refused = false;
	if (p->redrive.dead)
		status = redrive_queue(&p->redrive, q);
	else
		status = sweep_queue(p, q) < 0 ? DQ_STOPPED : DQ_DONE;
	if (status == DQ_STOPPED || apply_finish(&p->redrive.apply) == DQ_STOPPED)
		return DQ_STOPPED;
	if (moved(p) > before || p->refused || p->redrive.apply.refused)
		return DQ_DONE;
	return doubt(p, q, ABSENT_PUT) < 0 ? DQ_STOPPED : DQ_DONE;
}

static enum status each_word(void *ctx, const char *word, size_t len, enum status bad)
{
	struct promoter *p = ctx;
	struct queue *q;
	struct name name;
	struct err e;

	if (name_parse(word, len, forms(p), &name, &e) < 0) {
		warn("%s", e.text);
		p->status = worse(p->status, bad);
		return DQ_DONE;
	}
	q = queue_set_find(&p->queues, name.queue);
	if (!q)
		die(DQ_TEMPORARY, "out of memory");
	if (name.id[0])
		return apply_add(&p->redrive.apply, q, name.id);
	return each_named(p, q);
}

static enum status before_wait(void *ctx)
{
	struct promoter *p = ctx;

	return apply_finish(&p->redrive.apply);
}

static enum status each_operand(struct promoter *p)
{
	const struct args args = {.each = each_word, .before_wait = before_wait, .ctx = p, .stop_fd = p->conn.conf.wait.stop_fd};
	enum status status;

	p->status = DQ_DONE;
	status = args_each(&args, p->names);
	apply_finish(&p->redrive.apply);
	if (status == DQ_STOPPED && !stop_signal())
		status = DQ_DONE; /* many has the reason */
	return worse(status, p->status);
}

static void parse_option(struct promoter *p, int c)
{
	if ((c == OPT_PAUSE && p->pausing == OPT_RESUME) || (c == OPT_RESUME && p->pausing == OPT_PAUSE))
		die_usage("--pause: only one of --pause and --resume");
	if (c == 'f')
		p->follow = true;
	else if (c == 'n')
		p->redrive.limit = opt_number("-n", optarg, 1, INT64_MAX);
	else if (c == 'q')
		p->redrive.quiet = true;
	else if (c == OPT_FOR)
		p->lasts = opt_duration("--for", optarg);
	else if (c == OPT_DEAD)
		p->redrive.dead = true;
	else if (c == OPT_RELEASE)
		p->redrive.release = true;
	else if (c == OPT_RATE)
		p->redrive.rate = opt_number("--rate", optarg, 1, 1000000);
	else if (c == OPT_PAUSE || c == OPT_RESUME)
		p->pausing = c;
	else if (c == OPT_DRY_RUN)
		p->redrive.dry = true;
	else
		opt_common(&p->opt, c, usage);
}

static void check(const struct promoter *p)
{
	const char *queues = p->follow ? "-f" : p->pausing == OPT_PAUSE ? "--pause" : p->pausing ? "--resume" : NULL;
	char shown[80];
	struct name name;
	struct err e;

	if (p->redrive.dead && p->redrive.release)
		die_usage("only one of --dead and --release");
	if (p->follow && (p->redrive.dead || p->redrive.release || p->redrive.dry || p->pausing))
		die_usage("-f: not with --dead, --release, --dry-run, --pause or --resume");
	if (p->pausing && (p->redrive.dead || p->redrive.release || p->redrive.dry || p->redrive.limit >= 0))
		die_usage("%s: not with --dead, --release, --dry-run or -n", queues);
	if (p->lasts >= 0 && !p->follow)
		die_usage("--for: only with -f");
	if (p->redrive.rate && !p->redrive.dead)
		die_usage("--rate: only with --dead");
	if (p->pausing && !*p->names)
		die_usage("%s: no queue given", queues);
	if (p->redrive.dead && !*p->names && confirm_possible())
		die_usage("--dead: no QUEUE or NAME given");
	if (p->redrive.release && !*p->names && confirm_possible())
		die_usage("--release: no NAME given");
	for (char **word = p->names; *word; word++) {
		if (queues && (strchr(*word, '/') || !strcmp(*word, "-")))
			die_usage("%s: \"%s\": takes queues only", queues,
				  text_shown(shown, sizeof shown, *word, strlen(*word)));
		if (strcmp(*word, "-") != 0 && name_parse(*word, strlen(*word), forms(p), &name, &e) < 0)
			die_usage("%s", e.text);
	}
}

static void parse(struct promoter *p, int argc, char **argv)
{
	static const struct option options[] = {OPT_LONG,
						{"follow", no_argument, NULL, 'f'},
						{"for", required_argument, NULL, OPT_FOR},
						{"dead", no_argument, NULL, OPT_DEAD},
						{"count", required_argument, NULL, 'n'},
						{"release", no_argument, NULL, OPT_RELEASE},
						{"rate", required_argument, NULL, OPT_RATE},
						{"pause", no_argument, NULL, OPT_PAUSE},
						{"resume", no_argument, NULL, OPT_RESUME},
						{"dry-run", no_argument, NULL, OPT_DRY_RUN},
						{"quiet", no_argument, NULL, 'q'},
						OPT_END};
	int c;

	while ((c = argv_next(argc, argv, OPT_SHORT "fn:q", options)) != -1)
		parse_option(p, c);
	p->names = argv_operands(argc, argv).words;
	check(p);
}

static enum status run(struct promoter *p)
{
	if (p->follow)
		return follow(p);
	if (p->pausing)
		return each_queue(p, pause_queue);
	if (*p->names || p->redrive.dead || p->redrive.release)
		return each_operand(p);
	if (p->redrive.limit < 0 && !p->redrive.dry)
		p->queues.ahead = promote_ahead;
	return each_queue(p, sweep_queue);
}

static void say_counts(const struct promoter *p)
{
	long long done = p->redrive.apply.done;

	if (p->redrive.dry || p->redrive.dead || p->redrive.release)
		warn("%lld %s%s", done, p->redrive.dry ? "would be " : "", p->redrive.apply.conf.word);
	else if (!p->pausing)
		warn("%lld promoted, %lld back from a lease that ran out, %lld dead, %lld expired", done, p->back, p->died, p->expired);
	if (p->redrive.died)
		warn("%lld dead: out of tries", p->redrive.died);
}

int main(int argc, char **argv)
{
	struct promoter p = {.redrive = {.limit = -1}, .lasts = -1};
	enum status status;

	opt_start(&p.opt, "dq-promote");
	parse(&p, argc, argv);
	p.redrive.verbose = p.opt.verbose;
	opt_connect(&p.opt, &p.conn, opt_caught(stop_catch()));
	queue_set_init(&p.queues, &p.conn, p.opt.prefix);
	redrive_init(&p.redrive, &p.conn);
	status = run(&p);
	if (p.opt.verbose)
		say_counts(&p);
	apply_free(&p.redrive.apply);
	queue_set_free(&p.queues);
	conn_close(&p.conn);
	finish(worse(status, p.redrive.apply.status));
}
