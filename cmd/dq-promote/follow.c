#include "follow.h"

#include "base/clock.h"
#include "redis/nodes.h"
#include "tool/stop.h"

int64_t follow_left(const struct follow *f)
{
	return f->limit < 0 ? QUEUE_BATCH : f->limit - f->promoted;
}

bool follow_is_over(const struct follow *f, int64_t until_us)
{
	return stop_signal() || follow_left(f) <= 0 || (until_us >= 0 && clock_us() >= until_us) ||
	       f->x->session->status != DQ_DONE;
}

bool follow_spares(const struct follow *f, const struct err *e)
{
	return nodes_left(&f->x->nodes) && (e->status == DQ_INTERNAL || e->fate == FATE_SHARDS);
}

int follow_promote(struct follow *f, struct queue *shard, struct call *begun, struct held held,
		   struct queue_moved *moved, struct err *e)
{
	int64_t left = follow_left(f);
	int limit = left < QUEUE_BATCH ? (int)left : QUEUE_BATCH;
	int status = call_begun(begun) ? queue_promote_end(begun, moved, e) :
					 queue_promote(shard, limit, held, moved, e);

	if (status < 0)
		return -1;
	f->promoted += moved->promoted;
	f->back += moved->back;
	f->died += moved->died;
	f->expired += moved->expired;
	return 0;
}
