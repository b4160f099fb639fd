#include "waiting/rounds.h"

#include <stdlib.h>

#include "base/clock.h"
#include "redis/nodes.h"

/* --- the shards --- */

/* start: the next shard is the first one of the round. */
static void start(struct rounds *r)
{
	r->next = r->start = 0;
	while (r->start < r->list.count && r->list.whole[r->start] != r->from)
		r->start++;
}

/* prepare makes what the tool keeps of each shard. */
static int prepare(struct rounds *r, struct err *e)
{
	waiter_free(&r->waiter);
	free(r->each);
	r->each = calloc((size_t)r->list.count + 1, sizeof *r->each);
	if (!r->each)
		return err_memory(e);
	if (waiter_init(&r->waiter, r->x, r->list.all, r->list.count, r->what, e) < 0) {
		free(r->each);
		r->each = NULL;
		return -1;
	}
	if (r->cap)
		r->waiter.waits.cap = r->cap;
	r->waiter.waits.marks.also = r->also;
	for (int i = 0; i < r->list.count; i++)
		/* with several shards it exists: dq-promote made it */
		r->each[i].known = r->list.all[i].shards > 1;
	start(r);
	return 0;
}

int rounds_regroup(struct rounds *r, const struct wait *wait, struct err *e)
{
	if (r->each && waiter_end(&r->waiter, wait, e) < 0)
		return -1;
	return shard_list_make(&r->list, r->wholes, r->count, e) < 0 ? -1 : prepare(r, e);
}

int rounds_watch(struct rounds *r, struct queue **wholes, int count, struct err *e)
{
	struct partial partial = {.all = NULL};
	struct rounds_queue *queues = calloc((size_t)count + 1, sizeof *queues);

	if (!queues || partial_init(&partial, count, e) < 0 ||
	    (r->each && waiter_end(&r->waiter, NULL, e) < 0)) {
		partial_free(&partial);
		free(wholes);
		free(queues);
		return queues ? -1 : err_memory(e);
	}
	partial_free(&r->partial);
	free(r->wholes);
	free(r->queues);
	free(r->each);
	r->each = NULL;
	r->partial = partial;
	r->wholes = wholes;
	r->queues = queues;
	r->count = count;
	r->from = 0;
	for (int i = 0; i < count; i++)
		queues[i].then = r->turn;
	r->then = count ? (int)(r->turn % (unsigned)count) : 0;
	return rounds_regroup(r, NULL, e);
}

int rounds_watch_these(struct rounds *r, struct queue *wholes, int count, struct err *e)
{
	struct queue **each = calloc((size_t)count + 1, sizeof(struct queue *));

	if (!each)
		return err_memory(e);
	for (int i = 0; i < count; i++)
		each[i] = &wholes[i];
	return rounds_watch(r, each, count, e);
}

void rounds_free(struct rounds *r)
{
	waiter_free(&r->waiter);
	shard_list_free(&r->list);
	partial_free(&r->partial);
	free(r->each);
	free(r->wholes);
	free(r->queues);
	r->each = NULL;
	r->wholes = NULL;
	r->queues = NULL;
	r->count = 0;
}

/* --- a round --- */

/* miss: shard i is not asked in this round. */
static void miss(struct rounds *r, int i, enum status status)
{
	r->missed = r->missed > status ? r->missed : status;
	r->missed_name = r->wholes[r->list.whole[i]]->name;
}

/* spare: its queue is partial, so no call is made now. */
static void spare(struct rounds *r, int i)
{
	waiter_spared(&r->waiter, i);
	r->each[i].known = true;
	miss(r, i, DQ_TEMPORARY);
}

int rounds_begin(struct rounds *r, struct err *e)
{
	if (!r->each && rounds_regroup(r, NULL, e) < 0)
		return -1;
	r->turn++;
	r->from = r->then;
	r->most = 0;
	for (int i = 0; i < r->count; i++)
		r->queues[i] = (struct rounds_queue){.turn = r->queues[i].then,
						     .then = r->queues[i].then};
	start(r);
	r->missed = DQ_DONE;
	r->missed_name = NULL;
	r->unasked = false;
	return 0;
}

int rounds_place(const struct rounds *r, int k)
{
	if (!r->rotates)
		return shard_list_at(&r->list, k, r->turn);
	k = (r->start + k) % r->list.count;
	return shard_list_at(&r->list, k, r->queues[r->list.whole[k]].turn);
}

int rounds_next(struct rounds *r, bool begun)
{
	while (r->next < r->list.count) {
		int i = rounds_place(r, r->next++), whole = r->list.whole[i];
		bool held = !begun && !waiter_wants(&r->waiter, i) &&
			    !partial_is(&r->partial, whole);
		if (partial_waits(&r->partial, whole))
			spare(r, i);
		else if (!held)
			return i;
		else
			r->unasked = true;
	}
	return -1;
}

void rounds_stay(struct rounds *r)
{
	r->next--;
}

int rounds_share(const struct rounds *r, int i, int wanted)
{
	int whole = r->list.whole[i], got = r->queues[whole].got,
	    left = r->count - (whole - r->from + r->count) % r->count;

	return r->rotates ? (wanted + got + left - 1) / left - got : wanted;
}

/* gave: shard i gave so many messages. */
static void gave(struct rounds *r, int i, int found)
{
	struct rounds_queue *q = &r->queues[r->list.whole[i]];

	q->got += found;
	q->then = (unsigned)(i - r->list.first[i]) + 1;
	if (q->got >= r->most) {
		r->most = q->got;
		r->then = (r->list.whole[i] + 1) % r->count;
	}
}

/* all_paused: all shards of the queue of shard i? */
static bool all_paused(const struct rounds *r, int i)
{
	int first = r->list.first[i];

	for (int k = first; k < first + r->list.all[i].shards; k++)
		if (r->each[k].why != LIMIT_PAUSED)
			return false;
	return true;
}

unsigned rounds_good(struct rounds *r, int i, const struct rounds_reply *got)
{
	struct rounds_shard *shard = &r->each[i];
	bool was = shard->why == LIMIT_PAUSED;

	waiter_called(&r->waiter, i, got->now_us, got->asked_us, got->found > 0);
	shard->known = shard->known || got->found > 0;
	shard->why = got->why;
	if (got->found > 0)
		gave(r, i, got->found);
	else if (got->wanted > 0 && got->why >= LIMIT_RATE)
		r->queues[r->list.whole[i]].why = got->why;
	return (partial_ended(&r->partial, &r->list, i) ? ROUNDS_SERVED : 0) |
	       (got->why == LIMIT_PAUSED && !was && all_paused(r, i) ? ROUNDS_PAUSED : 0);
}

bool rounds_keep_time(struct rounds *r)
{
	struct waits *w = &r->waiter.waits;

	if (!r->what || r->what & WAITER_TIME)
		return false;
	r->what |= WAITER_TIME;
	w->what |= WAITER_TIME;
	for (int i = 0; i < w->marks.count; i++)
		w->marks.doubt[i] = MARKS_NEW;
	return true;
}

enum rounds_failure rounds_failed(struct rounds *r, int i, struct err *e)
{
	if (e->fate == FATE_SHARDS && partial_learn(&r->partial, &r->list, i, e) == 0)
		return ROUNDS_CHANGED;
	if (e->fate == FATE_SHARDS) {
		spare(r, i);
		return partial_news(&r->partial, r->list.whole[i], e) ? ROUNDS_PARTIAL :
									ROUNDS_STILL;
	}
	if (!r->x->nodes.cluster || !err_passes(e))
		return ROUNDS_ALL;
	if (r->lasts)
		nodes_lost(&r->x->nodes, r->list.all[i].name, e);
	waiter_failed(&r->waiter, i);
	miss(r, i, e->status);
	return ROUNDS_AWAY;
}

bool rounds_unknown(struct rounds *r, int i)
{
	bool unknown = !r->each[i].known;

	r->each[i].known = true;
	return unknown;
}

/* --- between rounds --- */

/* retry_us: when (clock_us) the next partial queue is due; INT64_MAX: there is none. */
static int64_t retry_us(const struct rounds *r)
{
	int64_t retry_at = partial_time(&r->partial);

	return retry_at == INT64_MAX ? INT64_MAX : retry_at * 1000;
}

int64_t rounds_time(const struct rounds *r)
{
	return clock_sooner(waiter_time(&r->waiter), retry_us(r));
}

int rounds_read(struct rounds *r, const struct wait *wait, struct err *e)
{
	int worth = waiter_read(&r->waiter, wait, e);

	return worth == 0 ? clock_us() >= retry_us(r) : worth;
}

int rounds_sleep(struct rounds *r, int64_t until_us, int also_fd, struct err *e)
{
	int64_t retry = retry_us(r);
	bool retries = retry < INT64_MAX && (until_us < 0 || retry < until_us);
	int status = waiter_sleep(&r->waiter, retries ? retry : until_us, also_fd, NULL, e);

	return status == 0 && retries ? 1 : status;
}
