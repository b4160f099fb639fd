#include "watch.h"

#include <stdlib.h>

#include "base/clock.h"
#include "redis/nodes.h"
#include "redis/sock.h"
#include "many_queues.h"
#include "tool/absent.h"
#include "tool/die.h"
#include "tool/stop.h"
#include "watched.h"

/* asks_together returns how many of the next queues, from the i-th on, to ask together: in a cluster with so many queues that there are no
 * waits. */
static int asks_together(const struct watch *w, int i)
{
	int count = w->count - i < QUEUE_TOGETHER ? w->count - i : QUEUE_TOGETHER;

	if (!w->x->nodes.cluster || w->waiter.waits.count > 0 || w->limit >= 0)
		return 0;
	for (int k = i; k < i + count; k++)
		if (waiter_held(&w->waiter, k).what != HELD_NOTHING)
			return 0; /* the reply is to another call */
	return count;
}

static int promote(struct watch *w, int i, struct call *begun, struct queue_moved *moved, struct err *e)
{
	int limit = watch_left(w) < QUEUE_BATCH ? (int)watch_left(w) : QUEUE_BATCH;

	return call_begun(begun) ? queue_promote_end(begun, moved, e) :
				   queue_promote(&w->queues[i], limit, waiter_held(&w->waiter, i), moved, e);
}

/* sweep_some: a queue with a broken key must not keep the others from being promoted. */
static int sweep_some(struct watch *w, int from, int to, struct call *begun, struct err *e)
{
	for (int i = from; i < to && watch_left(w) > 0; i++) {
		struct queue_moved moved = {.more = waiter_wants(&w->waiter, i)};
		w->object = w->queues[i].name;
		while (moved.more && watch_left(w) > 0 && !stop_signal()) {
			int64_t asked = clock_us();
			if (promote(w, i, &begun[i - from], &moved, e) < 0) {
				if (watch_learns(w, i, e))
					return 0;
				if (watch_away(w, i, e))
					break;
				if (!watch_spares(w, e))
					return -1;
				waiter_spared(&w->waiter, i);
				if (!w->broken[i])
					warn("%s: not promoted: %s", w->queues[i].name, e->text);
				w->broken[i] = true;
				w->status = worse(w->status, e->status);
				break;
			}
			w->promoted += moved.promoted;
			w->back += moved.back;
			w->died += moved.died;
			w->expired += moved.expired;
			w->broken[i] = false;
			waiter_called(&w->waiter, i, moved.now_us, asked, false);
		}
	}
	return 0;
}

/* sweep promotes everything due, in short calls. */
static int sweep(struct watch *w, struct err *e)
{
	struct call begun[QUEUE_TOGETHER] = {{0}};
	int status = 0;

	for (int i = 0; i < w->count && status == 0 && !w->shards_changed; i += QUEUE_TOGETHER) {
		int count = asks_together(w, i);
		if (count > 0)
			nodes_map(&w->x->nodes, NULL);
		for (int k = 0; k < count; k++)
			queue_promote_begin(NULL, &begun[k], &w->queues[i + k]);
		exchange_push(w->x);
		status = sweep_some(w, i, i + QUEUE_TOGETHER < w->count ? i + QUEUE_TOGETHER : w->count, begun, e);
		for (int k = 0; k < count; k++)
			call_free(&begun[k]);
	}
	return status;
}

/* gather_again: if the node with the list is unreachable, the known queues are served. */
static int gather_again(struct watch *w, struct err *e)
{
	int status = watched_update(w, e);

	w->skipped = DQ_DONE;
	if (status == 0 || !w->found || !w->x->nodes.cluster || (e->status != DQ_TEMPORARY && e->status != DQ_UNAVAILABLE))
		return status;
	nodes_lost(&w->x->nodes, w->object, e);
	waiter_failed(&w->waiter, w->count);
	w->skipped = worse(w->skipped, e->status);
	return 0;
}

/* absent reports, once, the named queues that do not exist yet. */
static int absent(struct watch *w, struct err *e)
{
	for (int i = 0; i < w->count && *w->names && !w->known && !w->quiet; i++) {
		w->object = w->queues[i].name;
		if (absent_say(&w->queues[i], ABSENT_WAIT, false, e) < 0)
			return -1;
	}
	w->known = true;
	return 0;
}

/* watch_round promotes what is due and waits. Returns 1 to continue, 0 if the time is over, -1 on error. */
static int watch_round(struct watch *w, int64_t until_us, struct err *e)
{
	if (w->too_many)
		return many_queues_round(w, until_us, e);
	if (gather_again(w, e) < 0 || sweep(w, e) < 0 || absent(w, e) < 0)
		return -1;
	session_answered(w->x->session);
	if (watch_is_over(w, until_us))
		return 0;
	if (w->shards_changed || w->too_many)
		return 1;
	return waiter_sleep(&w->waiter, until_us, -1, NULL, e) < 0 ? -1 : 1;
}

static void leave(struct watch *w)
{
	const struct wait soon = wait_firm(&w->x->conf->wait, 1000);
	struct err e;

	if (w->found && nodes_left(&w->x->nodes))
		waiter_rest(&w->waiter, &soon, &e); /* if this fails, the other waiters poll within seconds */
	if (w->found)
		waiter_free(&w->waiter);
	free(w->queues);
	free(w->broken);
	queue_set_free(&w->wholes);
	dedup_free(&w->reported);
}

enum status watch_run(struct watch *w)
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
	while (going != 0 && !watch_is_over(w, until_us)) {
		if (session_up(session, NULL, &e) <= 0) {
			if (sock_wait(-1, 0, session->retry_at, w->x->conf->wait.stop_fd, &e) < 0)
				break;
			continue;
		}
		going = watch_round(w, until_us, &e);
		if (going < 0 && e.status == DQ_STOPPED)
			break;
		if (going < 0) {
			if (w->found)
				waiter_lost(&w->waiter);
			nodes_lost(&w->x->nodes, w->object, &e);
			if (w->x->nodes.cluster && nodes_pause(&w->x->nodes, &wait, &e) < 0 && e.status == DQ_STOPPED)
				break;
		}
	}
	leave(w);
	if (stop_signal())
		return DQ_STOPPED;
	return worse(worse(w->status, w->skipped), session->status == DQ_DONE && session->pause ? DQ_TEMPORARY : session->status);
}
