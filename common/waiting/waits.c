#include "waiting/waits.h"

#include <hiredis.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "redis/nodes.h"
#include "redis/reply.h"

#define GRACE_MS 1500         /* if a reply is later than this, the server or the network is dead */
#define AGAIN_MS INT64_C(50)  /* then CLIENT UNBLOCK is sent again */
#define OPEN_MS 500           /* in a cluster: to open one connection, while other waits stand */

static bool keeps_time(const struct waits *w)
{
	return w->what & WAITER_TIME;
}

/* key_of: one of the keys for whose node the wait is. */
static const char *key_of(const struct waits *w, const struct waits_one *x)
{
	return x->from < w->marks.count ? w->marks.queues[x->from].keys.key[PART_WAKE] :
					  w->marks.also;
}

struct node *waits_by(const struct waits *w, const struct waits_one *x)
{
	const char *key = key_of(w, x);

	return key ? nodes_at(&w->x->nodes, slot_of(key, strlen(key))) : &w->x->nodes.root;
}

/* is_moving: is the slot of its queue being moved? BZPOPMIN would be refused there, too. */
static bool is_moving(const struct waits *w, const struct waits_one *x, int64_t *retry_at)
{
	const char *key = x->from < w->marks.count ? w->marks.queues[x->from].keys.key[PART_WAKE] :
						     NULL;

	return key && nodes_moving(&w->x->nodes, w->x->nodes.moving, slot_of(key, strlen(key)),
				   retry_at, NULL);
}

/* --- how many there are --- */

static void release(struct waits *w)
{
	for (int i = 0; i < w->count; i++)
		waits_lose(w, &w->all[i]);
	free(w->all);
	w->all = NULL;
	w->count = 0;
	w->arranged = false;
}

/* wanted: outside a cluster one wait for all queues;
 * in a cluster one for each queue, and one for `also`. */
static int wanted(const struct waits *w)
{
	int count = w->marks.count + (w->marks.also != NULL);

	if (!w->what)
		return 0;
	return !w->x->nodes.cluster ? 1 : count <= WAITS_MAX ? count : 0;
}

int waits_arrange(struct waits *w, struct err *e)
{
	int count = wanted(w);

	if (w->arranged && w->count == count)
		return 0;
	release(w);
	w->all = count ? calloc((size_t)count, sizeof *w->all) : NULL;
	if (count && !w->all)
		return err_memory(e);
	w->count = count;
	w->arranged = true;
	for (int i = 0; i < count; i++) {
		struct waits_one *x = &w->all[i];
		x->from = w->x->nodes.cluster ? i : 0;
		x->to = !w->x->nodes.cluster ? w->marks.count : i < w->marks.count ? i + 1 : i;
		block_init(&x->block, &waits_by(w, x)->conn.conf);
	}
	return 0;
}

void waits_free(struct waits *w)
{
	release(w);
	marks_free(&w->marks);
}

/* --- their connections --- */

void waits_lose(struct waits *w, struct waits_one *x)
{
	if (block_close(&x->block) && keeps_time(w))
		marks_lose(&w->marks, x->from, x->to);
}

void waits_troubled(struct waits *w, struct waits_one *x, const struct err *e)
{
	waits_lose(w, x);
	session_lost(&x->block.session, NULL, e);
}

void waits_follow(struct waits *w)
{
	for (int i = 0; i < w->count; i++)
		if (block_follow(&w->all[i].block, &waits_by(w, &w->all[i])->conn) && keeps_time(w))
			marks_lose(&w->marks, w->all[i].from, w->all[i].to);
}

bool waits_strays(const struct waits *w, const struct waits_one *x)
{
	return block_strays(&x->block, &waits_by(w, x)->conn);
}

/* --- their exchanges --- */

/* send sends BZPOPMIN over the marks of its queues, those of ready messages first. */
static int send(struct waits *w, struct waits_one *x, struct err *e)
{
	/* the clock spreads the waits of several tools */
	int64_t cap = w->cap + clock_us() % (w->cap / 5);
	const struct queue *queues = w->marks.queues;
	struct call call = {0};

	call_plain(&call, "BZPOPMIN");
	for (int i = x->from; i < x->to && (w->what & WAITER_READY); i++)
		call_text(&call, queues[i].keys.key[PART_WAKE]);
	for (int i = x->from; i < x->to && keeps_time(w); i++)
		call_text(&call, queues[i].keys.key[PART_TIMER]);
	for (int i = x->from; i < x->to && keeps_time(w); i++) {
		w->marks.open[i] = marks_lists(&w->marks, i);
		if (w->marks.open[i])
			call_text(&call, queues[i].keys.key[PART_GUARD]);
	}
	if (w->marks.also && (!w->x->nodes.cluster || x->from == w->marks.count))
		call_text(&call, w->marks.also);
	x->give_up = clock_us() + (cap + GRACE_MS) * 1000;
	return block_pop(&x->block, &call, cap, e);
}

/* ended: did the reply to the open BZPOPMIN arrive before until_us? Then the mark is held. Returns
 * 1 for yes, 0 for not yet, -1 if the connection is lost. */
static int ended(struct waits *w, struct waits_one *x, int64_t until_us, struct err *e)
{
	struct redisReply *reply;
	int got = block_reply(&x->block, until_us, &reply, e);

	if (got <= 0)
		return got;
	session_answered(&x->block.session);
	if (marks_is(reply))
		marks_hold(&w->marks, reply);
	reply_free(reply);
	return 1;
}

/* in_vain: it is unknown whether BZPOPMIN popped a mark, so one call may be in vain. */
static void in_vain(struct waits *w, struct waits_one *x, struct err *e)
{
	for (int i = x->from; i < x->to && w->what & WAITER_READY; i++)
		w->marks.ready[i] = true;
	err_set(e, DQ_TEMPORARY, "BZPOPMIN did not end");
	waits_troubled(w, x, e);
}

/* half_time: clock_us. The other half remains for the next exchange on that connection: after
 * wait->until a reply would be too late, and the connection would count as lost. */
static int64_t half_time(const struct wait *wait)
{
	int64_t now = clock_ms();

	return clock_us() + clock_sooner((wait_deadline(wait, now) - now) / 2, GRACE_MS) * 1000;
}

/* withdraw: CLIENT UNBLOCK, on another connection, may arrive before BZPOPMIN and then does
 * nothing. So it is sent again, and meanwhile the held marks are returned. The time begins with the
 * first reply, which a pause of writes may delay: it delays BZPOPMIN, too. */
static int withdraw(struct waits *w, struct waits_one *x, struct node *by, const struct wait *wait,
		    struct err *e)
{
	int64_t until = 0;
	int allowed, got;

	for (;;) {
		allowed = block_end(&x->block, w->x, by, key_of(w, x), wait, e);
		if (allowed < 0)
			return -1;
		if (!until)
			until = half_time(wait);
		got = allowed ? ended(w, x, clock_sooner(clock_us() + AGAIN_MS * 1000, until), e) :
				-1;
		if (got > 0)
			return 0;
		if (got < 0 || clock_us() >= until)
			break;
		if (marks_return(&w->marks, w->x, wait, e) < 0)
			return -1;
	}
	in_vain(w, x, e);
	return 0;
}

/* In a cluster a lost connection concerns one node only. */
int waits_withdraw(struct waits *w, struct waits_one *x, const struct wait *wait, struct err *e)
{
	struct node *by = waits_by(w, x);

	if (!x->block.open)
		return 0;
	if (!w->x->nodes.cluster)
		return withdraw(w, x, by, wait, e);
	if (by->conn.redis && !block_strays(&x->block, &by->conn) &&
	    withdraw(w, x, by, wait, e) == 0)
		return 0;
	if (x->block.open)
		in_vain(w, x, e);
	return 0;
}

/* All waits get CLIENT UNBLOCK before the first one is awaited. */
int waits_withdraw_all(struct waits *w, const struct wait *wait, struct err *e)
{
	int status = 0;

	for (int i = 0; i < w->count && w->count > 1; i++)
		block_hint(&w->all[i].block, &waits_by(w, &w->all[i])->conn, key_of(w, &w->all[i]));
	for (int i = 0; i < w->count && status == 0; i++) {
		struct waits_one *x = &w->all[i];
		int got = w->count > 1 && x->block.open ?
				  ended(w, x, clock_us() + AGAIN_MS * 1000, e) :
				  0;
		if (got < 0)
			in_vain(w, x, e);
		status = waits_withdraw(w, x, wait, e);
	}
	return status;
}

/* poll_at: when to call for its queues while there is no wait. */
static int64_t poll_at(const struct waits *w, const struct waits_one *x)
{
	int64_t retry_at;

	return is_moving(w, x, &retry_at) ? retry_at * 1000 : clock_us() + WAITS_POLL_MS * 1000;
}

int waits_open(struct waits *w, struct waits_one *x, const struct wait *wait, struct err *e)
{
	bool cluster = w->x->nodes.cluster != NULL;
	struct wait opening = wait ? *wait : w->x->conf->wait;
	int able;

	if (x->block.open)
		return 0;
	if (cluster)
		opening.until = opening.until ? clock_sooner(opening.until, clock_ms() + OPEN_MS) :
						clock_ms() + OPEN_MS;
	able = cluster && (!waits_by(w, x)->conn.redis || is_moving(w, x, NULL)) ?
		       0 :
		       block_up(&x->block, cluster ? &opening : wait, e);
	if (able < 0)
		return -1;
	if (able && send(w, x, e) == 0)
		return 0;
	if (able)
		waits_troubled(w, x, e);
	x->give_up = poll_at(w, x);
	return 0;
}
