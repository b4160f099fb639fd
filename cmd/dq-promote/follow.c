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
	return stop_signal() || follow_left(f) <= 0 || (until_us >= 0 && clock_us() >= until_us) || f->x->session->status != DQ_DONE;
}

bool follow_spares(const struct follow *f, const struct err *e)
{
	return nodes_left(&f->x->nodes) && (e->status == DQ_INTERNAL || e->fate == FATE_SHARDS);
}

void follow_moved(struct follow *f, const struct queue_moved *moved)
{
	f->promoted += moved->promoted;
	f->back += moved->back;
	f->died += moved->died;
	f->expired += moved->expired;
}
