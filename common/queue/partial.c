#include "queue/partial.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

#define AGAIN_MIN 50 /* ms until the next call for such a queue */
#define AGAIN_MAX 1000

int partial_init(struct partial *u, int wholes, struct err *e)
{
	u->all = calloc((size_t)wholes + 1, sizeof *u->all);
	u->count = wholes;
	return u->all ? 0 : err_memory(e);
}

void partial_free(struct partial *u)
{
	free(u->all);
	*u = (struct partial){.all = NULL};
}

/* still: is a queue that was partly created or removed still so? Unlike shards_learn this does not
 * wait, because the other queues would wait, too. */
static bool still(const struct partial_queue *x, struct queue *whole, struct err *e)
{
	char field[16];

	return x->pause && shards_field(whole, field, e) == 0 && shards_judge(whole, field, e) < 0;
}

int partial_learn(struct partial *u, const struct shard_list *l, int i, struct err *e)
{
	struct partial_queue *x = &u->all[l->whole[i]];
	struct queue *whole = l->wholes[l->whole[i]];

	if (whole->shards != l->all[i].shards ||
	    (!still(x, whole, e) && shards_learn(whole, e) == 0)) {
		x->shard = -1;
		x->pause = 0;
		return 0;
	}
	if (e->fate != FATE_SHARDS)
		return -1;
	x->pause = clock_backoff(x->pause, AGAIN_MIN, AGAIN_MAX);
	x->retry_at = clock_ms() + x->pause;
	x->shard = l->all[i].shard;
	return -1;
}

bool partial_is(const struct partial *u, int whole)
{
	return u->all[whole].pause > 0;
}

bool partial_waits(const struct partial *u, int whole)
{
	return partial_is(u, whole) && clock_ms() < u->all[whole].retry_at;
}

int64_t partial_time(const struct partial *u)
{
	int64_t first = INT64_MAX;

	for (int i = 0; i < u->count; i++)
		if (partial_is(u, i))
			first = clock_sooner(first, u->all[i].retry_at);
	return first;
}

bool partial_news(struct partial *u, int whole, const struct err *e)
{
	return reasons_add(&u->all[whole].reasons, e);
}

/* A shard that is still there may be served while another one is not. */
bool partial_ended(struct partial *u, const struct shard_list *l, int i)
{
	struct partial_queue *x = &u->all[l->whole[i]];
	bool said = x->reasons.count > 0;

	if ((!x->pause && !said) || (x->shard >= 0 && x->shard != l->all[i].shard))
		return false;
	memset(x, 0, sizeof *x);
	return said;
}
