#include "next.h"

#include "table/counts.h"
#include "gather.h"
#include "queue/shards.h"
#include "tool/die.h"
#include "tool/out.h"

struct next {
	int64_t ms; /* -1: none yet */
};

static void sooner(struct next *n, int64_t ms)
{
	if (ms < 0)
		ms = 0; /* a lease that has expired */
	if (n->ms < 0 || ms < n->ms)
		n->ms = ms;
}

/* note_due: c is of q, which is not paused. */
static int note_due(struct next *n, const struct queue *q, const struct queue_counts *c, struct err *e)
{
	int64_t end;

	if (c->ready || c->due)
		sooner(n, 0);
	else if (c->next_due >= 0)
		sooner(n, c->next_due - c->now);
	if (!c->leased || n->ms == 0)
		return 0;
	if (queue_lease_end(q, &end, e) < 0)
		return -1;
	if (end >= 0)
		sooner(n, end - c->now);
	return 0;
}

/* note_shards notes each shard by itself, without those that are paused. */
static int note_shards(struct next *n, struct queue whole, struct err *e)
{
	struct queue_counts c;
	int status = 0;

	for (int i = 0; i < whole.shards && status == 0; i++) {
		struct queue one = *shards_at(&whole, i);
		one.rest = NULL;
		status = queue_stat(&one, &c, e);
		if (status == 0 && !c.paused)
			status = note_due(n, &one, &c, e);
		queue_counts_free(&c);
	}
	return status;
}

/* note_queue skips paused shards, because they deliver nothing. A shell that slept until the due time would find no message, over and
 * over. */
static int note_queue(void *ctx, const struct queue *q, const struct queue_counts *c, struct err *e)
{
	if (counts_is_paused(c))
		return 0;
	return c->paused && q->rest ? note_shards(ctx, *q, e) : note_due(ctx, q, c, e);
}

enum status next_run(struct queue_set *all, char *const *names, bool quiet)
{
	struct next n = {-1};
	struct gather g = {.all = all, .names = names, .quiet = quiet, .each = note_queue, .ctx = &n};
	enum status status = gather_run(&g);

	if (n.ms < 0)
		return worse(status, DQ_NO);
	out_format("%lld\n", (long long)n.ms);
	return status == DQ_NO ? DQ_DONE : status; /* another queue does not exist, which was reported */
}
