#include "next.h"

#include "gather.h"
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

/* look skips paused queues, because they deliver nothing. A shell that slept until the due time would find no message, over and over. */
static int look(void *ctx, const struct queue *q, const struct queue_counts *c, struct err *e)
{
	struct next *n = ctx;
	int64_t end;

	if (c->paused)
		return 0;
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

enum status next_run(struct queue_set *all, char *const *names, bool quiet)
{
	struct next n = {-1};
	struct gather g = {.all = all, .names = names, .quiet = quiet, .each = look, .ctx = &n};
	enum status status = gather_run(&g);

	if (n.ms < 0)
		return worse(status, DQ_NO);
	out_format("%lld\n", (long long)n.ms);
	return status == DQ_NO ? DQ_DONE : status; /* another queue does not exist, which was reported */
}
