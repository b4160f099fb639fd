/* dq-rm: removes messages in any state. */
#include <stdio.h>
#include <string.h>

#include "options.h"
#include "queue/forget.h"
#include "queue/key_pauses.h"
#include "queue/limit_text.h"
#include "message/listing.h"
#include "queue/shards.h"
#include "queue/questions.h"
#include "queue/stat.h"
#include "redis/nodes.h"
#include "tool/absent.h"
#include "tool/apply.h"
#include "tool/args.h"
#include "tool/ask_user.h"
#include "tool/die.h"
#include "tool/stop.h"

#define TRIES 3 /* if another client removes or makes the same queue */

struct rm {
	struct options options;
	struct exchange x;
	struct queue_set queues;
	struct apply apply;
	/* of the queue in work, that go with it; "": none, or not known */
	char settings[LIMIT_TEXT + 32];
	enum status status;
};

static enum apply_letter on_would(void *ctx, const char *state)
{
	const struct rm *r = ctx;

	if (!state)
		return APPLY_ABSENT;
	if (listing_among(r->options.state, state))
		return APPLY_OK;
	return letters_of_state(state);
}

static const char *why_not(char letter)
{
	const char *state = letters_state(letter);

	if (letter == APPLY_ABSENT)
		return "no such message";
	return state ? state : "in no state: dq-gc --repair repairs it";
}

static enum status on_missed(void *ctx, const struct pipeline_result *m)
{
	const struct rm *r = ctx;

	if (m->letter == APPLY_ABSENT && m->repeated) {
		/* The connection was lost before the reply to the first sending, and a consumer may
		 * have done the message since. */
		warn("%s/%s: not known whether it was removed: the connection was lost, and there "
		     "is no such message now",
		     m->queue->name, m->id);
		return DQ_TEMPORARY;
	}
	if (!r->options.quiet)
		warn("%s/%s: not removed: %s", m->queue->name, m->id, why_not(m->letter));
	return DQ_NO;
}

/* not_a_name: if the operand is the name of a queue, the user may have meant the queue. */
static void not_a_name(const char *word, size_t len, bool operand, const struct err *e)
{
	if (operand && name_queue_valid(word, len))
		warn("%s: to remove a whole queue: dq-rm -a %s%.*s", e->text,
		     word[0] == '-' ? "-- " : "", (int)len, word);
	else
		warn("%s", e->text);
}

static int add(void *ctx, const char *word, size_t len, enum status bad)
{
	struct rm *r = ctx;
	struct queue *queue;
	struct name name;
	struct err e;

	if (name_parse(word, len, NAME_MESSAGE, &name, &e) < 0) {
		not_a_name(word, len, bad == DQ_USAGE, &e);
		r->status = worse(r->status, bad);
		return 0;
	}
	queue = queue_set_find(&r->queues, name.queue);
	if (!queue)
		die(DQ_TEMPORARY, "out of memory");
	return apply_add(&r->apply, queue, name.id);
}

static int before_wait(void *ctx, struct meanwhile *meanwhile, int64_t *until)
{
	struct rm *r = ctx;

	return apply_flush(&r->apply, meanwhile, until);
}

/* paused_keys: how many keys are paused now; a queue may still have pauses that are over. -1: it
 * cannot be asked. */
static int paused_keys(struct queue *q, const struct queue_counts *c)
{
	struct key_pauses keys = {NULL, 0, 0};
	struct err e;
	int status = c->key_pauses ? queue_key_pauses(q, c->now, &keys, &e) : 0;
	int n = status == 0 ? (int)keys.count : -1;

	key_pauses_free(&keys);
	return n;
}

/* count finds how many messages of the queue to remove; *kept: the queue has other things to
 * forget; *set: settings are among them. */
static int count(struct rm *r, struct queue *q, int64_t *n, bool *kept, bool *set, struct err *e)
{
	char settings[LIMIT_TEXT] = "";
	struct queue_counts c;
	int status = queue_stat(q, &c, e);
	const int64_t in[] = {c.delayed, c.due, c.ready, c.leased, c.dead};

	*n = 0;
	for (size_t i = 0; listing_states[i]; i++)
		if (listing_among(r->options.state, listing_states[i]))
			*n += in[i];
	if (status == 0)
		limit_settings(&c, q->shards, settings);
	*kept = !r->options.state[0] && status == 0 && (c.counters > 0 || c.paused);
	*set = *kept && (settings[0] || paused_keys(q, &c) != 0);
	queue_counts_free(&c);
	return status;
}

/* user_agrees returns 1 for yes, 0 for no, -1 if it cannot continue with this queue.
 * partly: it cannot be counted. */
static int user_agrees(struct rm *r, struct queue *q, bool partly, struct err *e)
{
	const char *space = r->options.state[0] ? " " : "";
	int64_t n = 0;
	bool kept, set;
	int yes;

	if (r->options.force || r->options.dry)
		return 1;
	if (!partly && count(r, q, &n, &kept, &set, e) < 0)
		return -1;
	if (!partly && n == 0 && !kept)
		return 1;
	if (partly)
		yes = ask_user_yes(r->x.conf->wait.stop_fd,
				   "%s: not all of its %d shards are there: remove the "
				   "rest? [y/N] ",
				   q->name, q->shards);
	else if (n == 0)
		yes = ask_user_yes(r->x.conf->wait.stop_fd,
				   "%s: is empty: remove its counters, settings and "
				   "reserved ids? [y/N] ",
				   q->name);
	else
		yes = ask_user_yes(r->x.conf->wait.stop_fd,
				   "%s: remove %s%lld%s%s message%s%s? [y/N] ", q->name,
				   n == 1 ? "" : "all ", (long long)n, space,
				   r->options.state_words, n == 1 ? "" : "s",
				   set ? ", and its settings" : "");
	if (yes < 0)
		return err_set(e, DQ_STOPPED, "interrupted");
	if (!yes && !r->options.quiet)
		warn("%s: not removed: the answer was not yes", q->name);
	return yes;
}

/* clear removes all messages of the queue, or those in the given states. Messages move meanwhile,
 * so it repeats until it finds none. */
static int clear(struct rm *r, struct queue *q)
{
	int64_t before;

	do {
		before = r->apply.done;
		if (apply_states(&r->apply, q, r->options.state) < 0)
			return -1;
		if (r->apply.refused)
			return 0;
	} while (r->apply.done > before && !r->options.dry && r->options.states != 1);
	return 0;
}

/* has_foreign: the removal skipped messages with foreign ids, and reported that. */
static bool has_foreign(struct queue *q)
{
	bool has = false;

	for (int i = 0; i < q->shards; i++)
		has = has || shards_at(q, i)->foreign;
	return has;
}

/* forget removes what remains of an empty queue. If another client has put a message meanwhile, a
 * queue of one shard stays. A queue of several shards is closed first, and messages that were put
 * before that are removed, too: otherwise it would lose its shards whenever it is empty. If foreign
 * ids were skipped, the queue stays. */
static int forget(struct rm *r, struct queue *q)
{
	int64_t n = 0;
	bool forgotten;
	struct err e;
	int status;

	if (r->options.state[0] || r->options.dry || r->apply.refused || !nodes_left(&r->x.nodes) ||
	    (q->rest && has_foreign(q)))
		return 0;
	status = q->rest ? forget_whole(q, &forgotten, &n, &e) : forget_queue(q, &forgotten, &e);
	r->apply.done += n;
	if (status == 0) {
		if (!forgotten && r->options.common.verbose)
			warn("%s: not removed: %s", q->name,
			     q->rest ? "another client has made it again" :
				       "it has messages again");
		if (forgotten && r->settings[0] && !r->options.quiet)
			warn("%s: its settings are removed, too: %s", q->name, r->settings);
		return 0;
	}
	r->status = worse(r->status, e.status);
	if (e.status != DQ_STOPPED)
		warn("%s: emptied, but not removed: %s", q->name, e.text);
	return nodes_left(&r->x.nodes) && e.status != DQ_STOPPED ? 0 : -1;
}

/* given_up: it has other shards each time, which is_removal of apply.c leaves to this tool. Nothing
 * more is done to this queue. */
static int given_up(struct rm *r, struct queue *q, struct err *e)
{
	e->fate = FATE_NOT_DONE;
	return apply_failed(&r->apply, q, e);
}

/* clear_at_once is clear of a queue that other clients may remove at the same time. *partly: what
 * remains goes only as a whole. */
static int clear_at_once(struct rm *r, struct queue *q, bool *partly)
{
	struct err e;

	for (int tries = 0; tries < TRIES && !*partly; tries++) {
		r->apply.shards_changed = false;
		if (clear(r, q) < 0)
			return -1;
		if (!r->apply.shards_changed)
			return 0;
		if (shards_ask_any(q, partly, &e) < 0)
			return apply_failed(&r->apply, q, &e);
		*partly = q->rest != NULL;
	}
	if (!*partly) {
		err_set(&e, DQ_TEMPORARY, "other clients change its shards at the same time");
		return given_up(r, q, &e);
	}
	r->apply.refused = false;
	return 0;
}

/* empty removes the contents of the queue; if there is nothing, it checks for a mistyped name. */
static int empty(struct rm *r, struct queue *q, bool partly)
{
	int64_t before = r->apply.done;
	struct err e;

	if (clear_at_once(r, q, &partly) < 0)
		return -1;
	if (!partly && r->apply.done == before && !r->apply.refused && !r->options.quiet &&
	    nodes_left(&r->x.nodes) && absent_say(q, "nothing to remove", false, &e) < 0)
		return given_up(r, q, &e);
	return forget(r, q);
}

/* note_key_pauses: there may be a thousand: it says how many. */
static void note_key_pauses(struct rm *r, int n)
{
	size_t len = strlen(r->settings);

	if (n > 0)
		snprintf(r->settings + len, sizeof r->settings - len, "%sthe pause%s of %d key%s",
			 len ? ", " : "", n == 1 ? "" : "s", n, n == 1 ? "" : "s");
}

/* note_settings notes what is removed with the queue.
 * If it cannot be asked, the removal says why. */
static void note_settings(struct rm *r, struct queue *q)
{
	struct queue_counts c;
	struct err e;

	r->settings[0] = 0;
	if (!r->apply.conf.removes || r->options.quiet)
		return;
	if (queue_stat(q, &c, &e) == 0) {
		limit_settings(&c, q->shards, r->settings);
		note_key_pauses(r, paused_keys(q, &c));
	}
	queue_counts_free(&c);
}

/* clear_queue: a creation or a removal that was interrupted leaves what no other command
 * removes. */
static int clear_queue(void *ctx, struct queue *q)
{
	struct rm *r = ctx;
	bool partly = false;
	struct err e = {.fate = FATE_NOT_DONE};
	int yes = -1;

	for (int tries = 0; yes < 0 && tries < TRIES && (tries == 0 || e.fate == FATE_SHARDS);
	     tries++) {
		if (r->apply.conf.removes && shards_ask_any(q, &partly, &e) < 0)
			break;
		partly = partly || (tries > 0 && q->rest);
		yes = user_agrees(r, q, partly, &e);
	}
	if (yes < 0)
		return given_up(r, q, &e);
	if (yes > 0 && !partly)
		note_settings(r, q);
	if (yes > 0)
		return empty(r, q, partly);
	r->status = worse(r->status, DQ_NO);
	return 0;
}

/* clear_key removes the messages of the key; if there is none,
 * it checks for a mistyped name of the queue. */
static int clear_key(void *ctx, struct queue *q)
{
	struct rm *r = ctx;
	const struct options *o = &r->options;
	int64_t found;
	struct err e;
	int absent;

	if (apply_key(&r->apply, q, o->key, o->state, &found) < 0)
		return -1;
	if (found || r->apply.refused || q->foreign)
		return 0;
	r->status = worse(r->status, DQ_NO);
	absent = o->quiet ? 0 : absent_say(q, "nothing to remove", false, &e);
	if (absent < 0)
		return given_up(r, q, &e);
	if (!absent && !o->quiet)
		warn("%s: no message%s%s has the key %s", q->name, o->state[0] ? " that is " : "",
		     o->state_words, o->key);
	return 0;
}

static void run(struct rm *r)
{
	const struct options *o = &r->options;
	const struct apply_conf conf = {.script = &script_rm, .argument = o->state,
					.word = "removed", .dry = o->dry, .limit = -1,
					.removes = o->all && !o->dry && !o->state[0],
					.would = on_would, .frees = !r->options.state[0],
					.missed = on_missed, .ctx = r};
	const struct args args = {.each = add, .before_wait = before_wait, .ctx = r,
				  .words = o->quiet ? NULL : "names",
				  .stop_fd = r->x.conf->wait.stop_fd};
	struct err e;

	apply_init(&r->apply, &r->x, &conf);
	if ((o->all || o->key) &&
	    queue_set_each(&r->queues, o->words, o->all ? clear_queue : clear_key, r, &e) < 0 &&
	    e.status != DQ_REPORTED)
		die(e.status, "%s", e.text);
	if (!o->all && !o->key) {
		enum status status = args_each(&args, o->words);
		r->status = worse(r->status, status);
	}
	apply_finish(&r->apply);
	r->status = worse(r->status, r->apply.status);
	apply_free(&r->apply);
}

int main(int argc, char **argv)
{
	struct rm r = {.status = DQ_DONE};
	const struct opt *common = &r.options.common;

	options_read(&r.options, argc, argv);
	opt_connect(common, &r.x, opt_caught(stop_catch()));
	queue_set_init(&r.queues, &r.x, common->prefix);
	run(&r);
	if (common->verbose)
		warn("%lld %s", (long long)r.apply.done,
		     r.options.dry ? "would be removed" : "removed");
	queue_set_free(&r.queues);
	exchange_close(&r.x);
	finish(r.status);
}
