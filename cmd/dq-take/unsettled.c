#include "unsettled.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "redis/nodes.h"
#include "tool/die.h"

struct unsettled {
	struct unsettled *next;
	struct queue queue; /* a copy: the shards may be made anew */
	struct take take;
	size_t count;
};

int unsettled_say(struct taker *t, const struct queue *q, size_t n, const struct err *e)
{
	warn("%s: %zu messages were written %s settled: %s", q->name, n,
	     e->fate == FATE_UNCONFIRMED ? "and" :
	     e->fate == FATE_UNKNOWN     ? "but perhaps not" :
					   "but not",
	     e->text);
	t->status = worse(t->status, e->status);
	return -1;
}

int unsettled_add(struct taker *t, const struct queue *q, size_t n)
{
	struct take *take = stream_last(&t->stream);
	struct unsettled *l = malloc(sizeof *l);

	if (!l)
		return -1;
	*l = (struct unsettled){.next = t->unsettled, .queue = *q, .take = *take, .count = n};
	l->queue.rest = NULL;
	memset(take, 0, sizeof *take);
	t->unsettled = l;
	return 0;
}

/* settle: 1 it is over, 0 not yet, -1 it cannot be settled. */
static int settle(struct taker *t, struct unsettled *l, bool last)
{
	const struct wait firm = wait_firm(&t->x->conf->wait, t->x->conf->wait.timeout);
	struct err e;

	if (take_ack(&l->take, &l->queue, l->count, &firm, &e) == 0)
		return 1;
	if (last || e.fate == FATE_UNCONFIRMED || e.fate == FATE_SHARDS || !err_passes(&e))
		return unsettled_say(t, &l->queue, l->count, &e);
	nodes_lost(&t->x->nodes, l->queue.name, &e); /* settling twice is safe */
	return 0;
}

static int settle_all(struct taker *t, bool last)
{
	int status = 0;

	for (struct unsettled **at = &t->unsettled, *l; (l = *at);) {
		int over = settle(t, l, last);
		if (over == 0) {
			at = &l->next;
			continue;
		}
		status = over < 0 ? -1 : status;
		*at = l->next;
		take_free(&l->take);
		free(l);
	}
	return status;
}

int unsettled_settle(struct taker *t)
{
	return settle_all(t, false);
}

enum status unsettled_end(struct taker *t)
{
	if (!t->unsettled)
		return DQ_DONE;
	t->status = DQ_DONE;
	nodes_expire(&t->x->nodes);
	settle_all(t, true);
	return t->status;
}
