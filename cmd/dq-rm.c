/* dq-rm: removes messages, whatever state they are in. */
#include <string.h>

#include "args.h"
#include "ask.h"
#include "die.h"
#include "listing.h"
#include "many.h"
#include "opt.h"
#include "stop.h"
#include "text.h"

static const char usage[] =
	"usage: dq-rm [-q] [--state STATE] [--dry-run] [NAME...]\n"
	"       dq-rm -a [-fq] [--state STATE] [--dry-run] QUEUE...\n"
	"Removes messages in any state, whoever holds their receipts. NAME is QUEUE/ID, or a receipt; with none, the first\n"
	"TAB-separated field of each line of standard input is one. Exit 1 if some were not there.\n"
	"  -a, --all                all messages of each QUEUE; asks before, on a terminal\n"
	"      --state STATE        only in that state: delayed, due, ready, leased or dead\n"
	"      --dry-run            change nothing, print the names of what would go\n"
	"  -f, --force              do not ask\n"
	"  -q, --quiet              say nothing of messages that were not removed\n" OPT_USAGE;

enum { OPT_STATE = OPT_OWN, OPT_DRY_RUN };

struct rm {
	struct opt opt;
	struct conn conn;
	struct queues queues;
	struct many many;
	bool all, force, dry, quiet;
	const char *state; /* "" = any */
	enum status status;
};

static char on_would(void *ctx, const char *state)
{
	const struct rm *r = ctx;

	return !state ? 'u' : !r->state[0] || !strcmp(state, r->state) ? 'd' : 's';
}

static enum status on_missed(void *ctx, const struct bulk_result *m)
{
	const struct rm *r = ctx;

	if (m->letter == 'u' && m->repeated) {
		/* Gone is gone; the answer to the first sending was lost with its connection. */
		if (r->opt.verbose)
			warn("%s/%s: removed before the connection was lost, or not there", m->queue->name, m->id);
		return DQ_DONE;
	}
	if (!r->quiet)
		warn("%s/%s: not removed: %s%s", m->queue->name, m->id, m->letter == 'u' ? "no such message" : "not ",
		     m->letter == 'u' ? "" : r->state);
	return DQ_NO;
}

static enum status add(void *ctx, const char *word, size_t len, enum status bad)
{
	struct rm *r = ctx;
	struct queue *queue;
	struct name name;
	struct err e;

	if (name_parse(word, len, NAME_MESSAGE, &name, &e) < 0) {
		warn("%s", e.text);
		r->status = worse(r->status, bad);
		return DQ_DONE;
	}
	queue = queues_find(&r->queues, name.queue);
	if (!queue)
		die(DQ_TEMPORARY, "out of memory");
	return many_add(&r->many, queue, name.id);
}

static enum status settle(void *ctx)
{
	struct rm *r = ctx;

	return many_finish(&r->many);
}

/* count is how many messages of the queue are meant. */
static int count(struct rm *r, struct queue *q, int64_t *n, struct err *e)
{
	struct queue_counts c;
	int status = queue_stat(q, &c, e);
	const int64_t in[] = {c.delayed, c.due, c.ready, c.leased, c.dead};

	*n = 0;
	for (size_t i = 0; listing_states[i]; i++)
		if (!r->state[0] || !strcmp(r->state, listing_states[i]))
			*n += in[i];
	queue_counts_free(&c);
	return status;
}

/* confirmed: 1 yes, 0 no, -1 no going on with this queue. */
static int confirmed(struct rm *r, struct queue *q, struct err *e)
{
	const char *space = r->state[0] ? " " : "";
	int64_t n;
	int yes;

	if (r->force || r->dry)
		return 1;
	if (count(r, q, &n, e) < 0)
		return -1;
	if (n == 0)
		return 1;
	yes = ask_yes(r->conn.conf.stop_fd, "%s: remove all %lld%s%s message%s? [y/N] ", q->name, (long long)n, space, r->state,
		      n == 1 ? "" : "s");
	if (yes < 0)
		return err_set(e, DQ_STOPPED, "interrupted");
	if (!yes && !r->quiet)
		warn("%s: not removed: the answer was not yes", q->name);
	return yes;
}

/* clear empties the queue, or that state of it. Messages move while it works: so it goes round until there is nothing more. */
static enum status clear(struct rm *r, struct queue *q)
{
	const char *one[] = {r->state, NULL};
	const char *const *states = r->state[0] ? one : listing_states;
	int64_t before;

	do {
		before = r->many.done;
		for (size_t i = 0; states[i]; i++) {
			if (many_state(&r->many, q, states[i], -1) == DQ_STOPPED)
				return DQ_STOPPED;
			if (r->many.refused)
				return DQ_DONE;
		}
	} while (r->many.done > before && !r->dry && !r->state[0]);
	return DQ_DONE;
}

static int clear_queue(void *ctx, struct queue *q)
{
	struct rm *r = ctx;
	enum status status;
	struct err e;
	int yes = confirmed(r, q, &e);

	if (yes < 0)
		status = many_failed(&r->many, q, &e);
	else if (yes > 0)
		status = clear(r, q);
	else
		status = r->status = worse(r->status, DQ_NO);
	return status == DQ_STOPPED ? -1 : 0;
}

static void parse_option(struct rm *r, int c, char **argv)
{
	char shown[80];

	switch (c) {
	case 'a':
		r->all = true;
		break;
	case 'f':
		r->force = true;
		break;
	case 'q':
		r->quiet = true;
		break;
	case OPT_DRY_RUN:
		r->dry = true;
		break;
	case OPT_STATE:
		if (!listing_state(optarg))
			die_usage("--state: \"%s\": none of delayed, due, ready, leased, dead",
				  text_shown(shown, sizeof shown, optarg, strlen(optarg)));
		r->state = optarg;
		break;
	default:
		opt_common(&r->opt, c, argv, usage);
	}
}

static void parse(struct rm *r, int argc, char **argv)
{
	static const struct option options[] = {OPT_LONG,
						{"all", no_argument, NULL, 'a'},
						{"state", required_argument, NULL, OPT_STATE},
						{"dry-run", no_argument, NULL, OPT_DRY_RUN},
						{"force", no_argument, NULL, 'f'},
						{"quiet", no_argument, NULL, 'q'},
						OPT_END};
	int c;

	while ((c = getopt_long(argc, argv, OPT_SHORT "afq", options, NULL)) != -1)
		parse_option(r, c, argv);
	if (!r->all)
		return;
	if (optind == argc)
		die_usage("-a: no queue given");
	for (char **name = argv + optind; *name; name++)
		opt_queue(*name);
	if (!r->force && !r->dry && !ask_possible())
		die_usage("-a: standard input is no terminal to ask on: use -f");
}

static void run(struct rm *r, char **words)
{
	const struct many_conf conf = {.script = &script_rm, .argument = r->state, .word = "removed", .quiet = r->quiet,
				       .dry = r->dry, .limit = -1,
				       .would = on_would, .missed = on_missed, .ctx = r};
	const struct args args = {.each = add, .before_wait = settle, .ctx = r, .stop_fd = r->conn.conf.stop_fd};
	enum status status = DQ_DONE;
	struct err e;

	many_init(&r->many, &r->conn, &conf);
	if (r->all && queues_each(&r->queues, words, clear_queue, r, &e) < 0 && e.status != DQ_DONE)
		die(e.status, "%s", e.text);
	if (!r->all)
		status = args_each(&args, words);
	many_finish(&r->many);
	if (status != DQ_STOPPED || stop_signal())
		r->status = worse(r->status, status);
	r->status = worse(r->status, r->many.status);
	many_free(&r->many);
}

int main(int argc, char **argv)
{
	struct rm r = {.state = "", .status = DQ_DONE};

	opt_start(&r.opt, "dq-rm");
	parse(&r, argc, argv);
	opt_connect(&r.opt, &r.conn, opt_caught(stop_catch()));
	queues_init(&r.queues, &r.conn, r.opt.prefix);
	run(&r, argv + optind);
	if (r.opt.verbose)
		warn("%lld %s", (long long)r.many.done, r.dry ? "would go" : "removed");
	queues_free(&r.queues);
	conn_close(&r.conn);
	finish(r.status);
}
