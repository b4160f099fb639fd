#include "next.h"

#include "gather.h"
#include "queue/questions.h"
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

/* note_at notes a message that is ready from then on (server's ms). What is paused for good does
 * not count: a shell that slept until the due time would find no message, over and over. Nor does
 * it where all places are leased: see note_due. */
static void note_at(struct next *n, const struct queue_counts *c, int64_t at)
{
	bool limited = c->why != LIMIT_NONE;

	if (!limited || c->until >= 0)
		sooner(n, (limited && c->until > at ? c->until : at) - c->now);
}

/* is_full: are all places of max-leased leased? Then a message that is ready, or becomes so, does
 * not count, nor the end of a pause. */
static bool is_full(const struct queue_counts *c)
{
	return c->max_leased >= 0 && c->leased >= c->max_leased;
}

/* note_due: c is of q, of one shard or without limits. If all places are leased, the end of the
 * first lease frees one. If the keys of all that is ready are blocked, what becomes ready may be
 * of another key. */
static int note_due(struct next *n, const struct queue *q, const struct queue_counts *c,
		    struct err *e)
{
	bool keys = c->why == LIMIT_KEYS,
	     full = is_full(c) && (c->why != LIMIT_PAUSED || c->until >= 0);
	int64_t first = c->due || (c->ready && !keys) ? c->now : c->next_due, end = -1;

	if (first >= 0 && keys)
		sooner(n, first - c->now);
	if (keys && c->until >= 0) /* the pause of a key ends */
		sooner(n, c->until - c->now);
	if (first >= 0 && !keys && !full)
		note_at(n, c, first);
	if (!c->leased || n->ms == 0)
		return 0;
	if (queue_lease_end(q, &end, e) < 0)
		return -1;
	if (end >= 0 && (keys || full))
		sooner(n, (full && c->until > end ? c->until : end) - c->now);
	else if (end >= 0)
		note_at(n, c, end);
	return 0;
}

/* note_shards notes each shard by itself: it may be paused alone, and has limits of its own. */
static int note_shards(struct next *n, struct queue whole, struct err *e)
{
	struct queue_counts c;
	int status = 0;

	for (int i = 0; i < whole.shards && status == 0; i++) {
		struct queue one = *shards_at(&whole, i);
		one.rest = NULL;
		status = queue_stat(&one, &c, e);
		if (status == 0)
			status = note_due(n, &one, &c, e);
		queue_counts_free(&c);
	}
	return status;
}

static int note_queue(void *ctx, const struct queue *q, const struct queue_counts *c, struct err *e)
{
	bool each = q->rest && (c->paused || c->max_leased >= 0 || c->rate >= 0 ||
				c->keys >= KEYS_SERIAL || c->key_limit >= 0);

	return each || (q->rest && c->key_pauses) ? note_shards(ctx, *q, e) :
						    note_due(ctx, q, c, e);
}

enum status next_run(struct queue_set *all, char *const *names, bool quiet)
{
	struct next n = {-1};
	struct gather g = {.all = all, .names = names, .quiet = quiet, .each = note_queue,
			   .ctx = &n};
	enum status status = gather_run(&g);

	if (n.ms < 0)
		return worse(status, DQ_NO);
	out_format("%lld\n", (long long)n.ms);
	/* another queue does not exist, which was reported */
	return status == DQ_NO ? DQ_DONE : status;
}
