#include "failure.h"

#include <stdlib.h>

#include "deliver.h"
#include "redis/nodes.h"
#include "tool/die.h"

/* unreachable: is the node of the i-th queue, one of a cluster, out of reach now? The other nodes may be reachable. */
static bool unreachable(struct taker *t, int i, const struct err *e)
{
	if (!t->x->nodes.cluster || t->list.count == 1 || (e->status != DQ_TEMPORARY && e->status != DQ_UNAVAILABLE))
		return false;
	if (t->waits) {
		nodes_lost(&t->x->nodes, t->list.all[i].name, e);
	} else if (e->fate == FATE_MOVING && t->x->nodes.moving == MOVING_FAILS) {
		t->moving = i + 1;
		t->why = *e;
	} else
		warn("%s: %s", t->list.all[i].name, e->text);
	waiter_failed(&t->waiter, i);
	t->missed = e->status;
	return true;
}

int failure_prepare(struct taker *t, struct err *e)
{
	int what = !t->waits ? 0 : WAITER_READY | (t->options->conf.promote ? WAITER_TIME : 0);

	t->x->nodes.moving = t->waits || t->list.count > 1 ? MOVING_FAILS : MOVING_WAITS;
	waiter_free(&t->waiter);
	free(t->known);
	free(t->paused);
	t->known = calloc((size_t)t->list.count, sizeof *t->known);
	t->paused = calloc((size_t)t->list.count, sizeof *t->paused);
	if (!t->known || !t->paused)
		return err_memory(e);
	for (int i = 0; i < t->list.count; i++)
		t->known[i] = t->list.all[i].shards > 1; /* with several shards it exists: dq-promote made it */
	return waiter_init(&t->waiter, t->x, t->list.all, t->list.count, what, e);
}

/* regroup: the queue of the i-th shard has another number of shards than was thought. */
static int regroup(struct taker *t, int i, struct err *e)
{
	if (unfit_learn(&t->unfit, &t->list, i, e) < 0 || (t->waits && waiter_end(&t->waiter, NULL, e) < 0))
		return -1;
	return shard_list_make(&t->list, t->wholes, t->options->queue_count, e) < 0 ? -1 : failure_prepare(t, e);
}

/* spared: the i-th shard is not asked now. */
static void spared(struct taker *t, int i)
{
	waiter_spared(&t->waiter, i);
	t->known[i] = true;
	t->missed = DQ_TEMPORARY;
}

int failure_handle(struct taker *t, int i, struct err *e)
{
	t->unsure = t->unsure || e->fate == FATE_UNKNOWN;
	if (e->status == DQ_STOPPED && (t->stream.ahead || take_expected(stream_last(&t->stream))))
		deliver_late(t, &t->list.all[i]);
	if (e->fate == FATE_SHARDS && regroup(t, i, e) == 0)
		return 1;
	if (e->fate != FATE_SHARDS)
		return unreachable(t, i, e) ? 0 : -1;
	if (unfit_news(&t->unfit, t->list.whole[i], e))
		warn("%s: %s%s", t->list.all[i].name, e->text, t->waits ? ": trying again" : "");
	spared(t, i);
	return 0;
}

bool failure_skips(struct taker *t, int i)
{
	if (unfit_waits(&t->unfit, t->list.whole[i])) {
		spared(t, i);
		return true;
	}
	return t->waits && !t->stream.ahead && !waiter_wants(&t->waiter, i) && !unfit_is(&t->unfit, t->list.whole[i]);
}
