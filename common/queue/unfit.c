#include "queue/unfit.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

#define AGAIN_MIN 50 /* ms until the next call for such a queue */
#define AGAIN_MAX 1000

int unfit_init(struct unfit *u, int wholes, struct err *e)
{
	u->all = calloc((size_t)wholes + 1, sizeof *u->all);
	u->count = wholes;
	return u->all ? 0 : err_memory(e);
}

void unfit_free(struct unfit *u)
{
	free(u->all);
	*u = (struct unfit){.all = NULL};
}

/* still: is the queue, which was unfit, still only partly created or removed? Unlike shards_learn this does not wait, because the other
 * queues would wait, too. */
static bool still(const struct unfit_queue *x, struct queue *whole, struct err *e)
{
	char field[16];

	return x->pause && shards_field(whole, field, e) == 0 && shards_judge(whole, field, e) < 0;
}

int unfit_learn(struct unfit *u, const struct shard_list *l, int i, struct err *e)
{
	struct unfit_queue *x = &u->all[l->whole[i]];
	struct queue *whole = &l->wholes[l->whole[i]];

	if (whole->shards != l->all[i].shards || (!still(x, whole, e) && shards_learn(whole, e) == 0)) {
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

bool unfit_is(const struct unfit *u, int whole)
{
	return u->all[whole].pause > 0;
}

bool unfit_waits(const struct unfit *u, int whole)
{
	return unfit_is(u, whole) && clock_ms() < u->all[whole].retry_at;
}

int64_t unfit_time(const struct unfit *u)
{
	int64_t first = INT64_MAX;

	for (int i = 0; i < u->count; i++)
		if (unfit_is(u, i))
			first = clock_sooner(first, u->all[i].retry_at);
	return first;
}

bool unfit_news(struct unfit *u, int whole, const struct err *e)
{
	return reasons_add(&u->all[whole].reasons, e);
}

/* A shard that is still there may be served while another one is not. */
bool unfit_ended(struct unfit *u, const struct shard_list *l, int i)
{
	struct unfit_queue *x = &u->all[l->whole[i]];
	bool said = x->reasons.count > 0;

	if ((!x->pause && !said) || (x->shard >= 0 && x->shard != l->all[i].shard))
		return false;
	memset(x, 0, sizeof *x);
	return said;
}
