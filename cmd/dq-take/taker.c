#include "taker.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "deliver.h"
#include "unsettled.h"
#include "linger.h"
#include "reader.h"
#include "redis/nodes.h"
#include "tool/absent.h"
#include "tool/die.h"
#include "tool/reconnect.h"
#include "tool/notice.h"
#include "tool/out.h"

/* --- one call --- */

/* called: the tool got messages, so it passes its marks on to the tools that still wait. If that
 * fails, the next call to Redis reports it. */
static void called(struct taker *t, int i, int64_t asked)
{
	const struct take *take = stream_last(&t->stream);
	const struct rounds_reply got = {take->now_us, asked, (int)take->wanted, (int)take->count,
					 take->why};
	const char *name = t->rounds.list.all[i].name;
	unsigned news = rounds_good(&t->rounds, i, &got);
	struct err e;

	if (take->until >= 0 && rounds_keep_time(&t->rounds))
		/* the time of a dead tool may have to be marked again: call once more */
		t->more = true;
	notice_say(&t->rounds.list.all[i]);
	if (news & ROUNDS_SERVED && t->waits)
		warn("%s: served again", name);
	if (!t->options->quiet)
		withheld_paused(&t->rounds, i, news, take->until);
	if (t->waits && take->count > 0)
		waiter_rest(&t->rounds.waiter, NULL, &e);
}

/* serves_others: calls for a slot that is being moved may wait only if there is one shard, and
 * nothing else to do. */
static void serves_others(struct taker *t)
{
	t->x->nodes.moving = t->waits || t->rounds.list.count > 1 ? MOVING_FAILS : MOVING_WAITS;
}

/* away: the i-th shard cannot be asked now. */
static void away(struct taker *t, int i, const struct err *e)
{
	const char *name = t->wholes[t->rounds.list.whole[i]].name;

	if (e->fate == FATE_MOVING && t->x->nodes.moving == MOVING_FAILS) {
		t->moving = name;
		t->why = *e;
	} else {
		warn("%s: %s", name, e->text);
	}
}

/* failed judges a failed call for the i-th shard. 0: the round goes on. -1: *e concerns all. */
static int failed(struct taker *t, int i, struct err *e)
{
	t->unsure = t->unsure || e->fate == FATE_UNKNOWN;
	if (t->stream.ahead || (e->status == DQ_STOPPED && take_expected(stream_last(&t->stream))))
		deliver_late(t, &t->rounds.list.all[i]);
	if (t->rounds.list.count == 1 && e->fate != FATE_SHARDS)
		return -1;
	switch (rounds_failed(&t->rounds, i, e)) {
	case ROUNDS_ALL:
		return -1;
	case ROUNDS_CHANGED:
		if (rounds_regroup(&t->rounds, NULL, e) < 0)
			return -1;
		serves_others(t);
		t->at = 0;
		return 0; /* from the first shard on */
	case ROUNDS_PARTIAL:
		warn("%s: %s%s", t->rounds.list.all[i].name, e->text,
		     t->waits ? ": trying again" : "");
		return 0;
	case ROUNDS_STILL:
		return 0;
	case ROUNDS_AWAY:
		if (!t->waits)
			away(t, i, e);
		return 0;
	}
	return -1;
}

/* --- a round --- */

/* waits_for_slot: nothing was taken from the other queues, so the calls for one whose slot is being
 * moved may take their time. */
static bool waits_for_slot(struct taker *t)
{
	if (!t->moving || t->x->nodes.moving != MOVING_FAILS)
		return false;
	nodes_expire(&t->x->nodes);
	return true;
}

/* call_next fills the last batch. With -f the time that it waits for it counts as the reader's,
 * which may be at work: it gets no more than it surely keeps up with. */
static int call_next(struct taker *t, struct queue *q, const struct take_conf *conf, struct err *e)
{
	int64_t began = clock_us();
	int status = stream_take(&t->stream, q, conf, NULL, e);

	if (!t->options->follow)
		pace_waited(&t->pace, clock_us() - began);
	return status;
}

/* took: what follows from the last call, before its messages are written. wanted: messages that
 * this round may still take. goes_on: another call may bring more now. */
static void took(struct taker *t, int i, int64_t asked, int wanted, bool goes_on)
{
	const struct options *o = t->options;
	const struct take *take = stream_last(&t->stream);

	session_answered(t->x->session);
	t->failed_at = 0;
	t->more = t->more ||
		  (o->until_empty && o->conf.promote ? take_due(take, take->now + 1) : take->more);
	called(t, i, asked);
	pace_next(&t->pace, goes_on, t->each);
	/* Only then is it certain which queue is next,
	 * and that it is called: while it lingers nothing is leased. */
	if (!o->ack && t->rounds.list.count == 1 && o->linger < 0)
		reader_ahead(t, &t->rounds.list.all[i], &o->conf, wanted);
}

/* has_room: may a round go on that had printed `before` messages at its beginning? As
 * reader_room. */
static int has_room(struct taker *t, int before, struct err *e)
{
	int has = reader_room(t, t->printed > before ? -1 : t->until_us, e);

	t->stuck = has == 0;
	return has;
}

/* take_round takes from each queue in the order of the operands. From the shards of a queue it
 * takes in turn, and begins each time with the next shard. looks: nothing is due, as linger_await
 * says, so it takes nothing, but promotes and learns what to wait for. Returns 1 if it printed
 * something, 0 if nothing is due, -1 on error; DQ_REPORTED: t->status has it. */
static int take_round(struct taker *t, bool looks, struct err *e)
{
	int wanted = looks ? 0 : t->pace.count, before = t->printed, back = 0, has, i;
	int64_t since = -1; /* of the calls for one shard, one after another */

	t->more = t->stuck = false;
	t->moving = NULL;
	if (unsettled_settle(t) < 0)
		return err_reported(e);
	if (rounds_begin(&t->rounds, e) < 0)
		return -1;
	while ((wanted > 0 || looks) && (i = rounds_next(&t->rounds, t->stream.ahead)) >= 0) {
		struct take_conf conf = t->options->conf;
		struct queue *q = &t->rounds.list.all[i];
		int64_t asked;
		bool goes_on;
		t->at = i;
		if ((t->printed > before || back > 0) && (has = has_room(t, before, e)) <= 0)
			return has;
		asked = t->stream.ahead ? -1 : clock_us();
		conf.held = waiter_held(&t->rounds.waiter, i);
		/* whoever keeps the time of a queue promotes */
		conf.promote = conf.promote || conf.held.what == HELD_TIME;
		conf.count = wanted < QUEUE_BATCH ? wanted : QUEUE_BATCH;
		if (call_next(t, q, &conf, e) < 0) {
			since = -1;
			if (failed(t, i, e) < 0)
				return -1;
			continue;
		}
		wanted -= (int)stream_last(&t->stream)->count;
		since = take_since(stream_last(&t->stream), since);
		goes_on = take_goes_on(stream_last(&t->stream), conf.promote, since);
		took(t, i, asked, wanted, goes_on);
		goes_on = !looks && (t->stream.ahead || goes_on);
		back = deliver(t, q);
		if (back < 0)
			return err_reported(e);
		wanted += back;
		t->more = t->more || back > 0;
		if (goes_on || back > 0) /* take them again */
			rounds_stay(&t->rounds);
		else
			since = -1;
	}
	t->more = t->more || t->stream.ahead;
	if (!t->options->quiet)
		withheld_limited(&t->withheld, &t->rounds);
	return t->printed > before;
}

/* sleep_on waits until another call is useful. Returns 1; 0 if the deadline (clock_ms, -1 = none)
 * has passed; -1 on error. */
static int sleep_on(struct taker *t, int64_t deadline, struct err *e)
{
	int status;

	if (t->more)
		return 1;
	status = rounds_sleep(&t->rounds, deadline < 0 ? -1 : deadline * 1000, STDOUT_FILENO, e);
	return status == 1 ? out_check(e) : status; /* take nothing if the output has no reader */
}

/* leave ends the wait in progress. It works after a signal, too. */
static void leave(struct taker *t)
{
	const struct wait soon = wait_firm(&t->x->conf->wait, 1000);
	struct err e;

	if (t->waits && nodes_left(&t->x->nodes))
		/* if it fails, the other tools poll within seconds */
		waiter_rest(&t->rounds.waiter, &soon, &e);
}

/* absent reports queues that do not exist yet. It asks for each queue once, after a call without a
 * message, and not while a reply is expected. */
static int absent(struct taker *t, struct err *e)
{
	for (int i = 0; i < t->rounds.list.count && !t->options->quiet && !t->stream.ahead; i++) {
		if (!rounds_unknown(&t->rounds, i))
			continue;
		t->at = i;
		if (absent_say(&t->rounds.list.all[i], t->waits ? ABSENT_WAIT : ABSENT_PUT, false,
			       e) < 0)
			return -1;
	}
	return 0;
}

/* nothing returns the status for no messages. */
static enum status nothing(struct taker *t)
{
	const char *more = t->rounds.list.count > 1 ? "..." : "";
	enum status missed = t->stuck ? DQ_TEMPORARY : t->rounds.missed;
	struct err e;

	if (!t->unsure && !t->waits)
		absent(t, &e); /* whether the queues exist does not change the status */
	if (!t->unsure)
		return missed ? missed : DQ_NO;
	warn("%s%s: a reply was lost: messages that it leased are redelivered when "
	     "their leases end",
	     t->rounds.list.all[0].name, more);
	return DQ_TEMPORARY;
}

/* take_all takes until it got messages, none are left, or the wait is over; -f never ends.
 * deadline: 0 = do not wait, -1 = forever. */
static enum status take_all(struct taker *t)
{
	const struct options *o = t->options;
	int64_t deadline = o->follow ? -1 : o->wait > 0 ? clock_ms() + o->wait : 0;
	struct err e = {.status = DQ_DONE};
	int got;

	t->until_us = o->wait >= 0 ? deadline * 1000 : -1;
	for (;;) {
		got = reader_await(t, t->until_us, &e);
		if (got == 0) {
			warn("%s: nothing was taken: the reader of the output has not read what "
			     "was written before",
			     t->wholes[0].name);
			return DQ_TEMPORARY;
		}
		if (got > 0)
			got = linger_await(t, &e);
		if (got >= 0)
			got = take_round(t, got == 0, &e);
		if (got > 0 && !o->follow && !o->until_empty) {
			if (t->moving)
				warn("%s: %s", t->moving, t->why.text);
			return DQ_DONE;
		}
		if (got < 0 && e.status == DQ_REPORTED)
			return t->status;
		if (got >= 0 && o->until_empty) {
			if (got > 0 || t->more || waits_for_slot(t))
				continue;
			return t->printed ? DQ_DONE : nothing(t);
		}
		if (got == 0 && !t->waits && ((o->linger >= 0 && t->more) || waits_for_slot(t)))
			continue;
		if (got == 0 && !t->waits)
			return nothing(t);
		if (got >= 0 && absent(t, &e) < 0)
			got = -1;
		if (got == 0)
			got = sleep_on(t, deadline, &e);
		if (got == 0)
			return nothing(t);
		if (got < 0 && t->printed && !o->follow)
			/* -n counts the printed messages, and further waiting would
			 * hide the failure */
			break;
		if (got < 0 && deliver_reconnect(t, deadline, &e) < 0)
			break;
	}
	if (e.status == DQ_REPORTED)
		return worse(t->status, t->x->session->status);
	if (e.status != DQ_STOPPED)
		warn("%s: %s", t->rounds.list.all[t->at].name, e.text);
	return e.status;
}

/* watch makes the queues, and their shards, of which one each is known. */
static int watch(struct taker *t, struct err *e)
{
	int count = t->options->queue_count;

	t->wholes = calloc((size_t)count, sizeof *t->wholes);
	if (!t->wholes)
		return err_memory(e);
	for (int i = 0; i < count; i++)
		queue_init(&t->wholes[i], t->x, t->options->common.prefix, t->options->queues[i]);
	return rounds_watch_these(&t->rounds, t->wholes, count, e);
}

static void taker_init(struct taker *t, const struct options *options, struct exchange *x)
{
	bool waits = options->follow || options->wait > 0;
	struct err e;

	*t = (struct taker){.options = options, .x = x, .waits = waits};
	x->tool_repeats = waits;
	x->session->report = waits ? reconnect_report : NULL;
	t->rounds.x = x;
	t->rounds.lasts = waits;
	t->rounds.what = !waits ? 0 : WAITER_READY | (options->conf.promote ? WAITER_TIME : 0);
	t->rounds.turn = (unsigned)clock_us(); /* repeated short runs begin with different shards */
	t->printer.format = options->format;
	t->printer.stalled = deliver_stalled;
	t->printer.ctx = t;
	t->reader = (waits || options->until_empty) && out_has_reader();
	t->pace = (struct pace){.varies = options->paced && t->reader,
				.count = options->conf.count};
	if (stream_init(&t->stream) < 0)
		die(DQ_TEMPORARY, "out of memory");
	if (watch(t, &e) < 0)
		die(e.status, "%s", e.text);
	serves_others(t);
}

enum status taker_run(const struct options *options, struct exchange *x)
{
	struct taker t;
	enum status status;

	taker_init(&t, options, x);
	status = take_all(&t);
	leave(&t);
	status = worse(status, unsettled_end(&t));
	if (options->common.verbose)
		warn("%d taken", t.printed);
	stream_free(&t.stream);
	printer_free(&t.printer);
	rounds_free(&t.rounds);
	withheld_free(&t.withheld);
	for (int i = 0; i < options->queue_count; i++)
		queue_free(&t.wholes[i]);
	free(t.wholes);
	return status;
}
