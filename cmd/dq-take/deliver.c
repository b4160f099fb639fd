#include "deliver.h"

#include "unsettled.h"
#include "redis/nodes.h"
#include "tool/die.h"
#include "tool/notice.h"

/* give_back returns deliveries that were not printed, and those that were asked for ahead. It works
 * after a signal, too. */
static void give_back(struct taker *t, struct queue *q, size_t from, int64_t ms)
{
	const struct wait soon = wait_brief(&t->x->conf->wait, ms);
	size_t lost;
	struct err e;

	if (stream_return(&t->stream, q, from, &lost, &soon, &e) < 0)
		warn("%s: %zu messages could not be given back and are redelivered when their "
		     "leases end: %s",
		     q->name, lost, e.text);
}

/* undelivered: the i-th delivery could not be written; give it and the following ones back. Returns
 * their number, or -1 if the output cannot be used any more. */
static int undelivered(struct taker *t, struct queue *q, size_t i, const struct err *e)
{
	const struct take *take = stream_last(&t->stream);
	bool goes_on = t->printer.late && !t->printer.torn;
	struct delivery d;

	take_delivery(take, i, &d);
	if (e->status != DQ_STOPPED)
		warn("%s/%s: not delivered: %s", q->name, d.id, e->text);
	give_back(t, q, i, 2000);
	if (goes_on)
		return (int)(take->count - i);
	t->status = worse(t->status, e->status);
	return -1;
}

int deliver_reconnect(struct taker *t, int64_t deadline, struct err *e)
{
	struct wait wait = t->x->conf->wait;

	if (deadline == 0 || !err_passes(e))
		return -1;
	waiter_lost(&t->rounds.waiter);
	nodes_lost(&t->x->nodes, t->rounds.list.all[t->at].name, e);
	if (!t->failed_at)
		t->failed_at = clock_ms();
	wait.until = deadline > 0 ? clock_later(deadline, t->failed_at + t->x->conf->retry_for) : 0;
	if (nodes_pause(&t->x->nodes, &wait, e) == 0)
		return 0;
	return t->x->session->status == DQ_DONE ? -1 : err_reported(e);
}

/* is_for_later: the slot of the queue is being moved or, with -f in a cluster, its node is lost.
 * Other queues need not wait for that. */
static bool is_for_later(const struct taker *t, const struct err *e)
{
	if (e->fate == FATE_MOVING)
		return true;
	return t->options->follow && t->x->nodes.cluster && e->fate != FATE_SHARDS &&
	       e->fate != FATE_UNCONFIRMED && err_passes(e);
}

/* settle_written settles the first n deliveries, which were written. It works after a signal, too.
 * With -f it does not give up while Redis is unreachable: settling twice is safe. */
static int settle_written(struct taker *t, struct queue *q, size_t n)
{
	const struct wait firm = wait_firm(&t->x->conf->wait, t->x->conf->wait.timeout);
	struct err e, late;
	int failed;

	do {
		failed = take_ack(stream_last(&t->stream), q, n, &firm, &e);
		late = e;
	} while (failed && !is_for_later(t, &e) && e.fate != FATE_SHARDS && t->options->follow &&
		 deliver_reconnect(t, -1, &late) == 0);
	if (failed && is_for_later(t, &e) && unsettled_add(t, q, n) == 0) {
		if (t->waits)
			nodes_lost(&t->x->nodes, q->name, &e);
		return 0;
	}
	if (failed)
		unsettled_say(t, q, n, &e);
	/* a queue that is being removed stops no other */
	return failed && (e.fate != FATE_SHARDS || !t->options->follow) ? -1 : 0;
}

void deliver_stalled(void *taker)
{
	struct taker *t = taker;

	if (t->stream.ahead) /* its leases run, and it cannot be written yet */
		deliver_late(t, &t->rounds.list.all[t->at]);
}

int deliver(struct taker *t, struct queue *q)
{
	struct err e;
	const struct take *take = stream_last(&t->stream);
	size_t i = printer_write(&t->printer, q->name, take, &e);
	int back = 0;

	t->printed += (int)i;
	t->unread += (int)i;
	t->each = i > 0 ? t->printer.bytes / i : 0;
	if (i < take->count)
		back = undelivered(t, q, i, &e);
	if (t->options->ack && settle_written(t, q, i) < 0)
		return -1;
	return back;
}

void deliver_late(struct taker *t, struct queue *q)
{
	const struct wait soon = wait_brief(&t->x->conf->wait, 1000);
	struct err e;

	if (t->stream.ahead)
		give_back(t, q, stream_last(&t->stream)->count, 1000);
	else if (take_recv(stream_last(&t->stream), q, &soon, &e) == 0 ||
		 e.fate == FATE_UNCONFIRMED)
		give_back(t, q, 0, 1000);
	notice_say(q);
}
