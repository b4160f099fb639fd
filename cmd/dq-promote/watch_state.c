#include "watch_state.h"

#include "base/clock.h"
#include "queue/shards.h"
#include "redis/nodes.h"
#include "tool/die.h"
#include "tool/stop.h"

int64_t watch_left(const struct watch *w)
{
	return w->limit < 0 ? QUEUE_BATCH : w->limit - w->promoted;
}

bool watch_is_over(const struct watch *w, int64_t until_us)
{
	return stop_signal() || watch_left(w) <= 0 || (until_us >= 0 && clock_us() >= until_us) || w->x->session->status != DQ_DONE;
}

bool watch_learns(struct watch *w, int i, struct err *e)
{
	if (e->fate == FATE_SHARDS)
		w->shards_changed = shards_learn(queue_set_find(&w->wholes, w->queues[i].name), e) == 0;
	return w->shards_changed;
}

bool watch_away(struct watch *w, int i, const struct err *e)
{
	if (!w->x->nodes.cluster || e->fate == FATE_SHARDS || (e->status != DQ_TEMPORARY && e->status != DQ_UNAVAILABLE))
		return false;
	nodes_lost(&w->x->nodes, w->queues[i].name, e);
	waiter_failed(&w->waiter, i);
	w->skipped = worse(w->skipped, e->status);
	return true;
}

bool watch_spares(const struct watch *w, const struct err *e)
{
	return nodes_left(&w->x->nodes) && (e->status == DQ_INTERNAL || e->fate == FATE_SHARDS);
}
