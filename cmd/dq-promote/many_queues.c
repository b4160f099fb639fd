#include "many_queues.h"

#include <string.h>

#include "base/clock.h"
#include "queue/shards.h"
#include "redis/nodes.h"
#include "redis/sock.h"
#include "tool/die.h"
#include "tool/stop.h"

#define REST 4          /* rest this many times as long as the round took: a fifth of the server's
                         * time at most */
#define REST_MIN 1000   /* ms */

struct round {
	struct follow *w;
	struct queue_set all;
	int64_t until_us;
	int count;
	bool over;
	struct err *e; /* the error that ended the round */
};

/* failed reports a queue with a broken key or on an unreachable node; the round continues. */
static int failed(struct round *r, const struct queue *q, const struct err *e)
{
	struct follow *w = r->w;

	if (w->x->nodes.cluster && e->fate != FATE_SHARDS && err_passes(e)) {
		nodes_lost(&w->x->nodes, q->name, e);
		w->skipped = worse(w->skipped, e->status);
		return 0;
	}
	if (!follow_spares(w, e)) {
		*r->e = *e;
		return -1;
	}
	if (!dedup_seen(&w->reported, q->name, strlen(q->name), "", 0))
		warn("%s: not promoted: %s", q->name, e->text);
	w->status = worse(w->status, e->status);
	return 0;
}

/* each_shard returns 1 to end the round. */
static int each_shard(void *ctx, struct queue *q, struct err *e)
{
	struct round *r = ctx;
	struct follow *w = r->w;
	struct queue_moved moved = {.more = true};

	while (moved.more) {
		r->over = follow_is_over(w, r->until_us);
		if (r->over)
			return 1;
		if (follow_promote(w, q, r->all.begun, (struct held){.what = HELD_NOTHING}, &moved,
				   e) < 0)
			return e->fate == FATE_SHARDS ? -1 : failed(r, q, e) < 0;
	}
	return 0;
}

static int each_queue(void *ctx, struct queue *q)
{
	struct round *r = ctx;
	struct err e;
	int status = shards_each(q, each_shard, r, &e);

	r->count += q->shards;
	if (status < 0)
		return failed(r, q, &e);
	return status == 0 ? 0 : -1;
}

static int rest(struct follow *w, int64_t took, int64_t until_us, struct err *e)
{
	int64_t until = clock_ms() + (took * REST > REST_MIN ? took * REST : REST_MIN);

	if (until_us >= 0)
		until = clock_sooner(until, until_us / 1000);
	return sock_wait(-1, 0, until, w->x->conf->wait.stop_fd, e) < 0 ? -1 : 1;
}

int many_queues_round(struct follow *w, int64_t until_us, struct err *e)
{
	struct round r = {.w = w, .until_us = until_us, .e = e};
	char *none[] = {NULL};
	int64_t began = clock_ms();
	struct err why;

	w->object = w->registry;
	w->skipped = DQ_DONE;
	queue_set_init(&r.all, w->x, w->prefix);
	if (w->limit < 0)
		r.all.begin = queue_promote_begin;
	if (queue_set_each(&r.all, none, each_queue, &r, &why) < 0 && !r.over) {
		if (why.status != DQ_REPORTED)
			*e = why;
		return -1;
	}
	session_answered(w->x->session);
	if (follow_is_over(w, until_us))
		return 0;
	w->too_many = r.count > FOLLOW_MAX;
	return rest(w, clock_ms() - began, until_us, e);
}
