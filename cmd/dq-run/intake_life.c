#include <stdlib.h>

#include "base/clock.h"
#include "intake.h"
#include "redis/nodes.h"

#define DRAIN_POLL 500 /* ms between polls for --drain */

int intake_prepare(struct intake *in, struct err *e)
{
	int what = in->conf->once ? 0 : WAITER_READY | WAITER_TIME;
	size_t count = (size_t)in->list.count;

	waiter_free(&in->waiter);
	free(in->paused);
	free(in->known);
	in->paused = calloc(count, sizeof *in->paused);
	in->known = calloc(count, sizeof *in->known);
	if (!in->paused || !in->known)
		return err_memory(e);
	for (int i = 0; i < in->list.count; i++)
		in->known[i] = in->list.all[i].shards > 1; /* with several shards it exists: dq-promote made it */
	if (waiter_init(&in->waiter, in->conf->x, in->list.all, in->list.count, what, e) < 0)
		return -1;
	if (in->conf->drain)
		in->waiter.waits.cap = DRAIN_POLL; /* settling leaves no mark */
	return 0;
}

int intake_init(struct intake *in, const struct worker_conf *conf, struct pool *pool, struct shutdown *shutdown)
{
	struct err e;

	*in = (struct intake){.conf = conf, .pool = pool, .shutdown = shutdown,
			      .shards_changed = -1, .list = {.turn = (unsigned)clock_us()}};
	if (launch_init(&in->launch, conf, pool, shutdown) < 0)
		return -1;
	if (shard_list_make(&in->list, conf->queues, conf->queue_count, &e) < 0 || unfit_init(&in->unfit, conf->queue_count, &e) < 0)
		return -1;
	return intake_prepare(in, &e);
}

void intake_free(struct intake *in)
{
	waiter_free(&in->waiter);
	take_free(&in->take);
	launch_free(&in->launch);
	shard_list_free(&in->list);
	unfit_free(&in->unfit);
	free(in->paused);
	free(in->known);
}

void intake_end(struct intake *in, int status)
{
	in->status = status;
	in->finished = true;
}

/* reads_marks: does intake_run read the marks now? Only then may their descriptors be polled: they would stay readable. */
static bool reads_marks(const struct intake *in)
{
	return in->waiting && in->conf->x->nodes.root.conn.redis && clock_ms() >= in->again_at;
}

int64_t intake_time(const struct intake *in)
{
	int64_t connect_at = in->conf->x->nodes.root.conn.redis ? 0 : in->conf->x->session->retry_at;
	int64_t retry_at = unfit_time(&in->unfit);

	if (!reads_marks(in))
		return (in->again_at > connect_at ? in->again_at : connect_at) * 1000;
	return retry_at == INT64_MAX ? waiter_time(&in->waiter) : clock_sooner(waiter_time(&in->waiter), retry_at * 1000);
}

nfds_t intake_polls(const struct intake *in, struct pollfd *polls)
{
	return reads_marks(in) ? waiter_polls(&in->waiter, polls) : 0;
}

void intake_rest(struct intake *in)
{
	struct err e;

	if (nodes_left(&in->conf->x->nodes))
		waiter_rest(&in->waiter, shutdown_wait(in->shutdown, in->pool), &e); /* if it fails, the other tools poll within seconds */
}
