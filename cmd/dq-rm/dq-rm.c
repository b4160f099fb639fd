/* dq-rm: removes messages, whatever state they are in. */
#include <string.h>

#include "base/text.h"
#include "queue/listing.h"
#include "queue/registry.h"
#include "tool/absent.h"
#include "tool/apply.h"
#include "tool/args.h"
#include "tool/confirm.h"
#include "tool/die.h"
#include "tool/opt.h"
#include "tool/stop.h"

static const char usage[] =
	"usage: dq-rm [-q] [--state STATE[,...]] [--dry-run] [NAME...]\n"
	"       dq-rm -a [-fq] [--state STATE[,...]] [--dry-run] QUEUE...\n"
	"Removes messages in any state; their receipts end. NAME is QUEUE/ID,\n"
	"or a receipt; with none, the first TAB-separated field of each line of standard\n"
	"input is one. Exit 1 if some were not there.\n"
	"  -a, --all                all messages of each QUEUE, and its name; asks before\n"
	"      --state STATE[,...]  only in one of these: delayed, due, ready, leased,\n"
	"                           dead; all that nobody works on: delayed,due,ready\n"
	"      --dry-run            change nothing, print the names of the messages\n"
	"  -f, --force              do not ask\n"
	"  -q, --quiet              do not report messages that were not removed, or\n"
	"                           queues that do not exist yet\n" OPT_USAGE;

enum { OPT_STATE = OPT_OWN, OPT_DRY_RUN };

struct rm {
	struct opt opt;
	struct conn conn;
	struct queue_set queues;
	struct apply apply;
	bool all, force, dry, quiet;
	const char *state; /* "" = any; or several, with commas between */
	int states;        /* how many */
	char words[64];    /* the same for people */
	enum status status;
};

static char on_would(void *ctx, const char *state)
{
	const struct rm *r = ctx;

	return !state ? 'u' : listing_among(r->state, state) ? 'd' : !strcmp(state, "leased") ? 'l' : 's';
}

static enum status on_missed(void *ctx, const struct pipeline_result *m)
{
	const struct rm *r = ctx;

	if (m->letter == 'u' && m->repeated) {
		/* Gone is gone; the answer to the first sending was lost with its connection. */
		if (r->opt.verbose)
			warn("%s/%s: removed before the connection was lost, or not there", m->queue->name, m->id);
		return DQ_DONE;
	}
	if (!r->quiet)
		warn("%s/%s: not removed: %s%s", m->queue->name, m->id,
		     m->letter == 'u' ? "no such message" : m->letter == 'l' ? "leased" : "not ", m->letter == 's' ? r->words : "");
	return DQ_NO;
}

/* not_a_name: an operand that is a queue may be meant as one. */
static void not_a_name(const char *word, size_t len, bool operand, const struct err *e)
{
	if (operand && name_queue_valid(word, len))
		warn("%s: to remove a whole queue: dq-rm -a %s%.*s", e->text, word[0] == '-' ? "-- " : "", (int)len, word);
	else
		warn("%s", e->text);
}

static enum status add(void *ctx, const char *word, size_t len, enum status bad)
{
	struct rm *r = ctx;
	struct queue *queue;
	struct name name;
	struct err e;

	if (name_parse(word, len, NAME_MESSAGE, &name, &e) < 0) {
		not_a_name(word, len, bad == DQ_USAGE, &e);
		r->status = worse(r->status, bad);
		return DQ_DONE;
	}
	queue = queue_set_find(&r->queues, name.queue);
	if (!queue)
		die(DQ_TEMPORARY, "out of memory");
	return apply_add(&r->apply, queue, name.id);
}

static enum status settle(void *ctx)
{
	struct rm *r = ctx;

	return apply_finish(&r->apply);
}

/* count is how many messages of the queue are meant; *kept says whether there is anything else to forget. */
static int count(struct rm *r, struct queue *q, int64_t *n, bool *kept, struct err *e)
{
	struct queue_counts c;
	int status = queue_stat(q, &c, e);
	const int64_t in[] = {c.delayed, c.due, c.ready, c.leased, c.dead};

	*n = 0;
	for (size_t i = 0; listing_states[i]; i++)
		if (listing_among(r->state, listing_states[i]))
			*n += in[i];
	*kept = !r->state[0] && status == 0 && (c.counters > 0 || c.paused);
	queue_counts_free(&c);
	return status;
}

/* confirmed: 1 yes, 0 no, -1 no going on with this queue. */
static int confirmed(struct rm *r, struct queue *q, struct err *e)
{
	const char *space = r->state[0] ? " " : "";
	int64_t n;
	bool kept;
	int yes;

	if (r->force || r->dry)
		return 1;
	if (count(r, q, &n, &kept, e) < 0)
		return -1;
	if (n == 0 && !kept)
		return 1;
	if (n == 0)
		yes = confirm_yes(r->conn.conf.wait.stop_fd, "%s: is empty: forget its counters and the ids it keeps? [y/N] ", q->name);
	else
		yes = confirm_yes(r->conn.conf.wait.stop_fd, "%s: remove %s%lld%s%s message%s? [y/N] ", q->name, n == 1 ? "" : "all ",
			      (long long)n, space, r->words, n == 1 ? "" : "s");
	if (yes < 0)
		return err_set(e, DQ_STOPPED, "interrupted");
	if (!yes && !r->quiet)
		warn("%s: not removed: the answer was not yes", q->name);
	return yes;
}

/* clear empties the queue, or those states of it. Messages move while it works: so it goes round until there is nothing more. */
static enum status clear(struct rm *r, struct queue *q)
{
	int64_t before;

	do {
		before = r->apply.done;
		for (size_t i = 0; listing_states[i]; i++) {
			if (!listing_among(r->state, listing_states[i]))
				continue;
			if (apply_state(&r->apply, q, listing_states[i], -1) == DQ_STOPPED)
				return DQ_STOPPED;
			if (r->apply.refused)
				return DQ_DONE;
		}
	} while (r->apply.done > before && !r->dry && r->states != 1);
	return DQ_DONE;
}

/* forget: of a whole queue nothing is left. Not where somebody puts meanwhile: then it is a queue as any other. */
static enum status forget(struct rm *r, struct queue *q)
{
	bool forgotten;
	struct err e;

	if (r->state[0] || r->dry || r->apply.refused || !r->conn.redis)
		return DQ_DONE;
	if (registry_forget(q, -1, &forgotten, &e) == 0) {
		if (!forgotten && r->opt.verbose)
			warn("%s: there are messages again: not forgotten", q->name);
		return DQ_DONE;
	}
	r->status = worse(r->status, e.status);
	if (e.status != DQ_STOPPED)
		warn("%s: emptied, but not forgotten: %s", q->name, e.text);
	return r->conn.redis && e.status != DQ_STOPPED ? DQ_DONE : DQ_STOPPED;
}

/* empty removes what the queue holds; if that is nothing, its name may be mistyped. */
static enum status empty(struct rm *r, struct queue *q)
{
	int64_t before = r->apply.done;
	struct err e;

	if (clear(r, q) == DQ_STOPPED)
		return DQ_STOPPED;
	if (r->apply.done == before && !r->apply.refused && !r->quiet && r->conn.redis && absent_say(q, ABSENT_PUT, false, &e) < 0)
		return apply_failed(&r->apply, q, &e);
	return forget(r, q);
}

static int clear_queue(void *ctx, struct queue *q)
{
	struct rm *r = ctx;
	enum status status;
	struct err e;
	int yes = confirmed(r, q, &e);

	if (yes < 0)
		status = apply_failed(&r->apply, q, &e);
	else if (yes > 0)
		status = empty(r, q);
	else
		status = r->status = worse(r->status, DQ_NO);
	return status == DQ_STOPPED ? -1 : 0;
}

static void parse_option(struct rm *r, int c)
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
		r->states = listing_states_valid(optarg);
		if (!r->states)
			die_usage("--state: \"%s\": not one or more of delayed, due, ready, leased, dead, with commas between",
				  text_shown(shown, sizeof shown, optarg, strlen(optarg)));
		r->state = optarg;
		listing_words(optarg, r->words);
		break;
	default:
		opt_common(&r->opt, c, usage);
	}
}

/* parse returns the operands. */
static char **parse(struct rm *r, int argc, char **argv)
{
	static const struct option options[] = {OPT_LONG,
						{"all", no_argument, NULL, 'a'},
						{"state", required_argument, NULL, OPT_STATE},
						{"dry-run", no_argument, NULL, OPT_DRY_RUN},
						{"force", no_argument, NULL, 'f'},
						{"quiet", no_argument, NULL, 'q'},
						OPT_END};
	struct operands operands;
	int c;

	while ((c = argv_next(argc, argv, OPT_SHORT "afq", options)) != -1)
		parse_option(r, c);
	operands = argv_operands(argc, argv);
	if (!r->all)
		return operands.words;
	if (!operands.count)
		die_usage("-a: no queue given");
	for (char **name = operands.words; *name; name++)
		opt_queue(*name);
	if (!r->force && !r->dry && !confirm_possible())
		die_usage("-a: standard input is no terminal to ask on: use -f");
	return operands.words;
}

static void run(struct rm *r, char **words)
{
	const struct apply_conf conf = {.script = &script_rm, .argument = r->state, .word = "removed",
				       .dry = r->dry, .limit = -1,
				       .would = on_would, .missed = on_missed, .ctx = r};
	const struct args args = {.each = add, .before_wait = settle, .ctx = r, .words = r->quiet ? NULL : "names", .stop_fd = r->conn.conf.wait.stop_fd};
	enum status status = DQ_DONE;
	struct err e;

	apply_init(&r->apply, &r->conn, &conf);
	if (r->all && queue_set_each(&r->queues, words, clear_queue, r, &e) < 0 && e.status != DQ_DONE)
		die(e.status, "%s", e.text);
	if (!r->all)
		status = args_each(&args, words);
	apply_finish(&r->apply);
	if (status != DQ_STOPPED || stop_signal())
		r->status = worse(r->status, status);
	r->status = worse(r->status, r->apply.status);
	apply_free(&r->apply);
}

int main(int argc, char **argv)
{
	struct rm r = {.state = "", .status = DQ_DONE};
	char **words;

	opt_start(&r.opt, "dq-rm");
	words = parse(&r, argc, argv);
	opt_connect(&r.opt, &r.conn, opt_caught(stop_catch()));
	queue_set_init(&r.queues, &r.conn, r.opt.prefix);
	run(&r, words);
	if (r.opt.verbose)
		warn("%lld %s", (long long)r.apply.done, r.dry ? "would go" : "removed");
	queue_set_free(&r.queues);
	conn_close(&r.conn);
	finish(r.status);
}
