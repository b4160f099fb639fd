#include "taker.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "deliver.h"
#include "failure.h"
#include "late.h"
#include "reader.h"
#include "redis/nodes.h"
#include "tool/absent.h"
#include "tool/die.h"
#include "tool/reconnect.h"
#include "tool/notice.h"
#include "tool/out.h"

/* called: the tool got messages, so it passes its marks on to the tools that still wait. If that fails, the next call to Redis reports
 * it. */
static void called(struct taker *t, int queue, int64_t asked)
{
	const struct take *take = stream_last(&t->stream);
	bool was = t->paused[queue];
	struct err e;

	notice_say(&t->list.all[queue]);
	t->known[queue] = t->known[queue] || take->count > 0;
	if (unfit_ended(&t->unfit, &t->list, queue) && t->waits)
		warn("%s: served again", t->list.all[queue].name);
	t->paused[queue] = take->paused;
	if (take->paused && !was && t->options->common.verbose && shard_list_all(&t->list, t->paused, queue))
		warn("%s: paused", t->list.all[queue].name);
	if (!t->waits)
		return;
	waiter_called(&t->waiter, queue, take->now_us, asked, take->count > 0);
	if (take->count > 0)
		waiter_rest(&t->waiter, NULL, &e);
}

/* waits_for_slot: nothing was taken from the other queues, so the calls for one whose slot is being moved may take their time. */
static bool waits_for_slot(struct taker *t)
{
	if (!t->moving || t->x->nodes.moving != MOVING_FAILS)
		return false;
	nodes_expire(&t->x->nodes);
	return true;
}

/* took: what follows from the last call, before its messages are written. wanted: messages that this round may still take. */
static void took(struct taker *t, int i, int64_t asked, int wanted)
{
	const struct options *o = t->options;
	const struct take *take = stream_last(&t->stream);

	session_answered(t->x->session);
	t->more = t->more || (o->until_empty && o->conf.promote ? take_due(take, take->now + 1) : take->more);
	called(t, i, asked);
	pace_next(&t->pace, take_goes_on(take, o->conf.promote), t->each);
	if ((o->follow || o->until_empty) && !o->ack && t->list.count == 1) /* only then is the next call certain */
		reader_ahead(t, &t->list.all[i], &o->conf, wanted);
}

/* has_room: may a round go on that had printed `before` messages at its beginning? As reader_room. */
static int has_room(struct taker *t, int before, struct err *e)
{
	int has = reader_room(t, t->printed > before ? -1 : t->until_us, e);

	if (has == 0)
		t->missed = DQ_TEMPORARY;
	return has;
}

/* take_round takes from each queue in the order of the operands. From the shards of a queue it takes in turn, and begins each time with
 * the next shard. Returns 1 if it printed something, 0 if nothing is due, -1 on error; DQ_REPORTED: t->status has it. */
static int take_round(struct taker *t, struct err *e)
{
	int wanted = t->pace.count, before = t->printed, back = 0, has;

	t->more = false;
	t->missed = DQ_DONE;
	t->moving = 0;
	if (late_settle(t) < 0)
		return err_reported(e);
	t->list.turn++;
	for (int k = 0, on; k < t->list.count && wanted > 0; k += on) {
		int i = shard_list_at(&t->list, k);
		struct take_conf conf = t->options->conf;
		int64_t asked;
		on = 1;
		if (failure_skips(t, i))
			continue;
		t->at = i;
		if ((t->printed > before || back > 0) && (has = has_room(t, before, e)) <= 0)
			return has;
		asked = t->stream.ahead ? -1 : clock_us();
		conf.held = waiter_held(&t->waiter, i);
		conf.count = wanted < QUEUE_BATCH ? wanted : QUEUE_BATCH;
		if (stream_take(&t->stream, &t->list.all[i], &conf, NULL, e) < 0) {
			int again = failure_handle(t, i, e);
			if (again < 0)
				return -1;
			if (again) {
				k = 0;
				on = 0;
			}
			continue;
		}
		wanted -= (int)stream_last(&t->stream)->count;
		on = !take_goes_on(stream_last(&t->stream), conf.promote);
		took(t, i, asked, wanted);
		back = deliver(t, &t->list.all[i]);
		if (back < 0)
			return err_reported(e);
		if (back > 0) { /* take them again */
			wanted += back;
			t->more = true;
			on = 0;
		}
	}
	return t->printed > before;
}

/* sleep_on waits until another call is useful. Returns 1; 0 if the deadline (clock_ms, -1 = none) has passed; -1 on error. */
static int sleep_on(struct taker *t, int64_t deadline, struct err *e)
{
	int64_t retry_at = unfit_time(&t->unfit);
	bool retries = deadline < 0 ? retry_at < INT64_MAX : retry_at < deadline;
	int64_t until = retries ? retry_at : deadline;
	int status;

	if (t->more)
		return 1;
	status = waiter_sleep(&t->waiter, until < 0 ? -1 : until * 1000, STDOUT_FILENO, NULL, e);
	if (status == 0 && retries)
		status = 1;
	return status == 1 ? out_check(e) : status; /* take nothing if the output has no reader */
}

/* leave ends the wait in progress. It works after a signal, too. */
static void leave(struct taker *t)
{
	const struct wait soon = wait_firm(&t->x->conf->wait, 1000);
	struct err e;

	if (t->waits && nodes_left(&t->x->nodes))
		waiter_rest(&t->waiter, &soon, &e); /* if it fails, the other tools poll within seconds */
}

/* absent reports queues that do not exist yet. It asks for each queue once, after a call without a message, and not while a reply is
 * expected. */
static int absent(struct taker *t, struct err *e)
{
	for (int i = 0; i < t->list.count && !t->options->quiet && !t->stream.ahead; i++) {
		if (t->known[i])
			continue;
		t->known[i] = true;
		t->at = i;
		if (absent_say(&t->list.all[i], t->waits ? ABSENT_WAIT : ABSENT_PUT, false, e) < 0)
			return -1;
	}
	return 0;
}

/* nothing returns the status for no messages. */
static enum status nothing(struct taker *t)
{
	const char *more = t->list.count > 1 ? "..." : "";
	struct err e;

	if (!t->unsure && !t->waits)
		absent(t, &e); /* whether the queues exist does not change the status */
	if (!t->unsure)
		return t->missed ? t->missed : DQ_NO;
	warn("%s%s: a reply was lost: messages that it leased are redelivered when their leases end", t->list.all[0].name, more);
	return DQ_TEMPORARY;
}

/* take_all takes until it got messages, none are left, or the wait is over; -f never ends. deadline: 0 = do not wait, -1 = forever. */
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
			warn("%s: nothing was taken: the reader of the output has not read what was written before", t->list.all[0].name);
			return DQ_TEMPORARY;
		}
		if (got > 0)
			got = take_round(t, &e);
		if (got > 0 && !o->follow && !o->until_empty) {
			if (t->moving)
				warn("%s: %s", t->list.all[t->moving - 1].name, t->why.text);
			return DQ_DONE;
		}
		if (got < 0 && e.status == DQ_REPORTED)
			return t->status;
		if (got >= 0 && o->until_empty) {
			if (got > 0 || t->more || waits_for_slot(t))
				continue;
			return t->printed ? DQ_DONE : nothing(t);
		}
		if (got == 0 && !t->waits && waits_for_slot(t))
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
			break; /* -n counts the printed messages, and further waiting would hide the failure */
		if (got < 0 && deliver_reconnect(t, deadline, &e) < 0)
			break;
	}
	if (e.status == DQ_REPORTED)
		return worse(t->status, t->x->session->status);
	if (e.status != DQ_STOPPED)
		warn("%s: %s", t->list.all[t->at].name, e.text);
	return e.status;
}

static void taker_init(struct taker *t, const struct options *options, struct exchange *x)
{
	bool waits = options->follow || options->wait > 0;
	int count = options->queue_count;
	struct err e;

	*t = (struct taker){.options = options, .x = x, .waits = waits};
	x->tool_repeats = waits;
	x->session->report = waits ? reconnect_report : NULL;
	t->wholes = calloc((size_t)count, sizeof *t->wholes);
	if (!t->wholes)
		die(DQ_TEMPORARY, "out of memory");
	for (int i = 0; i < count; i++)
		queue_init(&t->wholes[i], x, options->common.prefix, options->queues[i]);
	t->list.turn = (unsigned)clock_us(); /* repeated short runs begin with different shards */
	t->printer.format = options->format;
	t->reader = (waits || options->until_empty) && out_has_reader();
	t->pace = (struct pace){.varies = options->paced && t->reader, .count = options->conf.count};
	if (shard_list_make(&t->list, t->wholes, count, &e) < 0 || unfit_init(&t->unfit, count, &e) < 0 || failure_prepare(t, &e) < 0)
		die(e.status, "%s", e.text);
}

enum status taker_run(const struct options *options, struct exchange *x)
{
	struct taker t;
	enum status status;

	taker_init(&t, options, x);
	status = take_all(&t);
	leave(&t);
	status = worse(status, late_end(&t));
	if (options->common.verbose)
		warn("%d taken", t.printed);
	waiter_free(&t.waiter);
	stream_free(&t.stream);
	printer_free(&t.printer);
	shard_list_free(&t.list);
	for (int i = 0; i < options->queue_count; i++)
		queue_free(&t.wholes[i]);
	free(t.wholes);
	unfit_free(&t.unfit);
	free(t.known);
	free(t.paused);
	return status;
}
