#include "watch.h"

#include <stdlib.h>

#include "base/clock.h"
#include "redis/nodes.h"
#include "redis/sock.h"
#include "many_queues.h"
#include "queue/registry.h"
#include "tool/absent.h"
#include "tool/die.h"
#include "tool/stop.h"

/* --- the queues --- */

struct gathering {
	struct follow *w;
	struct queue_set *from;
	struct queue **wholes;
	int count, cap, shards;
	bool too_many; /* more queues than the tool can wait for */
};

static int make_room(struct gathering *g)
{
	int cap = g->cap ? g->cap * 2 : 16;
	struct queue **more;

	if (g->count < g->cap)
		return 0;
	more = realloc(g->wholes, (size_t)cap * sizeof(struct queue *));
	if (!more)
		return -1;
	g->wholes = more;
	g->cap = cap;
	return 0;
}

static int gather_one(void *ctx, const char *name)
{
	struct gathering *g = ctx;
	struct queue *whole = queue_set_find(g->from, name);

	g->too_many = whole && g->shards + whole->shards > FOLLOW_MAX && !*g->w->names;
	if (!whole || g->too_many || make_room(g) < 0)
		return -1;
	g->wholes[g->count++] = whole;
	g->shards += whole->shards;
	return 0;
}

/* gather finds all queues to watch, of which there may be none yet. 0 if there are too many. */
static int gather(struct follow *w, struct gathering *g, struct err *e)
{
	int status = 0;

	for (char *const *name = w->names; *name && status == 0; name++)
		if (gather_one(g, *name) < 0)
			status = err_reported(e);
	if (!*w->names)
		status = registry_each(w->x, w->prefix, gather_one, g, e);
	if (g->too_many)
		return 0;
	if (status < 0 && e->status == DQ_REPORTED)
		err_memory(e); /* of gather_one */
	return status;
}

static bool are_same(const struct rounds *r, const struct gathering *g)
{
	for (int i = 0; i < g->count && i < r->count; i++)
		if (r->wholes[i] != g->wholes[i])
			return false;
	return r->each && r->count == g->count;
}

/* are_whole: does the list of rounds have all shards of its queues? */
static bool are_whole(const struct rounds *r)
{
	for (int i = 0; i < r->list.count; i++)
		if (r->list.all[i].shards != r->wholes[r->list.whole[i]]->shards)
			return false;
	return true;
}

/* release ends all waits, because there are too many queues. */
static int release(struct follow *w, struct err *e)
{
	w->too_many = true;
	if (w->rounds.each && waiter_end(&w->rounds.waiter, NULL, e) < 0)
		return -1;
	rounds_free(&w->rounds);
	w->rounds.missed = DQ_DONE;
	queue_set_free(&w->wholes);
	queue_set_init(&w->wholes, w->x, w->prefix);
	return 0;
}

/* arrange makes rounds of what was gathered. */
static int arrange(struct follow *w, struct gathering *g, struct err *e)
{
	struct queue **wholes = g->wholes;

	if (g->too_many)
		return release(w, e);
	if (!are_same(&w->rounds, g)) {
		g->wholes = NULL;
		return rounds_watch(&w->rounds, wholes, g->count, e);
	}
	if (!are_whole(&w->rounds))
		return rounds_regroup(&w->rounds, NULL, e);
	waiter_called(&w->rounds.waiter, w->rounds.list.count, 0, -1, false); /* the mark is used */
	return 0;
}

/* update finds the queues to watch, and begins the waits anew if they have changed. Queues that are
 * gone are forgotten when they are most. */
static int update(struct follow *w, struct err *e)
{
	bool anew = !*w->names && w->wholes.count / 2 > FOLLOW_MAX;
	struct queue_set old = w->wholes;
	struct gathering g = {.w = w, .from = &w->wholes};
	int status;

	w->object = *w->names ? *w->names : w->registry;
	if (*w->names && w->rounds.each && !w->shards_changed)
		return 0;
	w->shards_changed = false;
	if (anew)
		queue_set_init(&w->wholes, w->x, w->prefix);
	status = gather(w, &g, e);
	if (status == 0)
		status = arrange(w, &g, e);
	free(g.wholes);
	if (anew && status < 0 && w->rounds.each) { /* rounds refer to them still */
		queue_set_free(&w->wholes);
		w->wholes = old;
	} else if (anew) {
		queue_set_free(&old);
	}
	return status;
}

/* gather_again: if the node with the list is unreachable, the known queues are served. */
static int gather_again(struct follow *w, struct err *e)
{
	int status = update(w, e);

	w->skipped = DQ_DONE;
	if (status == 0 || !w->rounds.each || !w->x->nodes.cluster || !err_passes(e))
		return status;
	nodes_lost(&w->x->nodes, w->object, e);
	waiter_failed(&w->rounds.waiter, w->rounds.list.count);
	w->skipped = e->status;
	return 0;
}

/* --- one shard --- */

/* not_promoted: a queue with a broken key, say, must not keep the others from being promoted.
 * -1: *e concerns all. */
static int not_promoted(struct follow *w, int i, struct err *e)
{
	enum rounds_failure means = rounds_failed(&w->rounds, i, e);
	bool *said = &w->rounds.each[i].broken;

	w->shards_changed = means == ROUNDS_CHANGED;
	if (means == ROUNDS_CHANGED || means == ROUNDS_AWAY)
		return 0;
	if (means == ROUNDS_ALL && !follow_spares(w, e))
		return -1;
	if (means == ROUNDS_ALL)
		waiter_spared(&w->rounds.waiter, i); /* else rounds_failed did */
	if (means == ROUNDS_PARTIAL || (means == ROUNDS_ALL && !*said))
		warn("%s: not promoted: %s", w->object, e->text);
	*said = true;
	w->status = worse(w->status, e->status);
	return 0;
}

/* promote_shard promotes everything due, in short calls. */
static int promote_shard(struct follow *w, int i, struct call *begun, struct err *e)
{
	struct queue_moved moved = {.more = true};

	w->object = w->rounds.wholes[w->rounds.list.whole[i]]->name;
	while (moved.more && follow_left(w) > 0 && !stop_signal()) {
		struct rounds_reply got = {.asked_us = clock_us()};
		if (follow_promote(w, &w->rounds.list.all[i], begun,
				   waiter_held(&w->rounds.waiter, i), &moved, e) < 0)
			return not_promoted(w, i, e);
		w->rounds.each[i].broken = false;
		got.now_us = moved.now_us;
		if (rounds_good(&w->rounds, i, &got) & ROUNDS_SERVED)
			warn("%s: served again", w->object);
	}
	return 0;
}

/* --- a round --- */

/* are_asked_together: in a cluster with so many queues that there are no waits. */
static bool are_asked_together(struct follow *w, int from, int to)
{
	if (!w->x->nodes.cluster || w->rounds.waiter.waits.count > 0 || w->limit >= 0)
		return false;
	for (int k = from; k < to; k++)
		if (waiter_held(&w->rounds.waiter, rounds_place(&w->rounds, k)).what !=
		    HELD_NOTHING)
			return false; /* the reply is to another call */
	return true;
}

/* begin_some begins the calls of the next places of the round together,
 * and returns the place behind them. */
static int begin_some(struct follow *w, int from, struct call *begun)
{
	const struct shard_list *list = &w->rounds.list;
	int to = from - from % QUEUE_TOGETHER + QUEUE_TOGETHER;

	to = to < list->count ? to : list->count;
	for (int k = 0; k < QUEUE_TOGETHER; k++)
		call_free(&begun[k]); /* of shards that were not called after all */
	if (!are_asked_together(w, from, to))
		return to;
	nodes_map(&w->x->nodes, NULL);
	for (int k = from; k < to; k++)
		queue_promote_begin(NULL, &begun[k % QUEUE_TOGETHER],
				    &list->all[rounds_place(&w->rounds, k)]);
	exchange_push(w->x);
	return to;
}

static int sweep(struct follow *w, struct err *e)
{
	struct call begun[QUEUE_TOGETHER] = {{0}};
	int i, to = 0, status = rounds_begin(&w->rounds, e);

	while (status == 0 && !w->shards_changed && follow_left(w) > 0 && !stop_signal() &&
	       (i = rounds_next(&w->rounds, false)) >= 0) {
		int place = w->rounds.next - 1;
		if (place >= to)
			to = begin_some(w, place, begun);
		status = promote_shard(w, i, &begun[place % QUEUE_TOGETHER], e);
	}
	for (int k = 0; k < QUEUE_TOGETHER; k++)
		call_free(&begun[k]);
	return status;
}

/* absent reports, once, the named queues that do not exist yet. */
static int absent(struct follow *w, struct err *e)
{
	for (int i = 0; i < w->rounds.list.count && *w->names && !w->known && !w->quiet; i++) {
		struct queue *q = &w->rounds.list.all[i];
		w->object = w->rounds.wholes[w->rounds.list.whole[i]]->name;
		if (absent_say(q, ABSENT_WAIT, false, e) < 0)
			return -1;
	}
	w->known = true;
	return 0;
}

/* watch_round promotes what is due and waits. Returns 1 to continue, 0 if the time is over,
 * -1 on error. */
static int watch_round(struct follow *w, int64_t until_us, struct err *e)
{
	if (w->too_many)
		return many_queues_round(w, until_us, e);
	if (gather_again(w, e) < 0 || sweep(w, e) < 0 || absent(w, e) < 0)
		return -1;
	session_answered(w->x->session);
	if (follow_is_over(w, until_us))
		return 0;
	if (w->shards_changed || w->too_many)
		return 1;
	return rounds_sleep(&w->rounds, until_us, -1, e) < 0 ? -1 : 1;
}

static void leave(struct follow *w)
{
	const struct wait soon = wait_firm(&w->x->conf->wait, 1000);
	struct err e;

	if (w->rounds.each && nodes_left(&w->x->nodes))
		/* if this fails, the other waiters poll within seconds */
		waiter_rest(&w->rounds.waiter, &soon, &e);
	rounds_free(&w->rounds);
	queue_set_free(&w->wholes);
	dedup_free(&w->reported);
}

enum status watch_run(struct follow *w)
{
	int64_t until_us = w->lasts >= 0 ? clock_us() + w->lasts * 1000 : -1;
	struct wait wait = w->x->conf->wait; /* a wait between attempts */
	struct session *session = w->x->session;
	struct err e = {.status = DQ_DONE};
	int going = 1;

	if (until_us >= 0)
		wait.until = until_us / 1000;
	session->report = reconnect_report;
	session->quiet = w->quiet;
	w->x->tool_repeats = true;
	w->x->nodes.moving = MOVING_FAILS;
	queue_set_init(&w->wholes, w->x, w->prefix);
	name_registry(w->prefix, w->registry);
	name_newcomers(w->prefix, w->newcomers);
	w->rounds = (struct rounds){.x = w->x, .what = WAITER_TIME, .lasts = true,
				    .also = *w->names ? NULL : w->newcomers};
	while (going != 0 && !follow_is_over(w, until_us)) {
		if (session_up(session, NULL, &e) <= 0) {
			if (sock_wait(-1, 0, session->retry_at, w->x->conf->wait.stop_fd, &e) < 0)
				break;
			continue;
		}
		going = watch_round(w, until_us, &e);
		if (going < 0 && e.status == DQ_STOPPED)
			break;
		if (going < 0) {
			if (w->rounds.each)
				waiter_lost(&w->rounds.waiter);
			nodes_lost(&w->x->nodes, w->object, &e);
			if (w->x->nodes.cluster && nodes_pause(&w->x->nodes, &wait, &e) < 0 &&
			    e.status == DQ_STOPPED)
				break;
		}
	}
	leave(w);
	if (stop_signal())
		return DQ_STOPPED;
	w->skipped = worse(w->skipped, w->rounds.missed);
	w->status = worse(w->status, w->skipped);
	return worse(w->status,
		     session->status == DQ_DONE && session->pause ? DQ_TEMPORARY : session->status);
}
