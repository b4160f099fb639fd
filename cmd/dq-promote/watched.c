#include "watched.h"

#include <stdlib.h>
#include <string.h>

#include "queue/registry.h"
#include "queue/shards.h"

struct gathering {
	struct watch *w;
	struct queue *queues;
	int count, cap;
	bool too_many; /* more queues than the tool can wait for */
	bool known; /* so far the same queues as before, in the same order */
};

/* make_room doubles the room: moving all these large structs for each new queue would take quadratic time. */
static int make_room(struct gathering *g)
{
	int cap = g->cap ? g->cap * 2 : 16;
	struct queue *more;

	if (g->count < g->cap)
		return 0;
	more = realloc(g->queues, (size_t)cap * sizeof(*more));
	if (!more)
		return -1;
	g->queues = more;
	g->cap = cap;
	return 0;
}

/* is_same: is the k-th watched queue that shard? */
static bool is_same(const struct watch *w, int k, const struct queue *q)
{
	return k < w->count && !strcmp(w->queues[k].keys.key[0], q->keys.key[0]) && w->queues[k].shards == q->shards;
}

/* gather_one adds all shards of a queue that are known by now. */
static int gather_one(void *ctx, const char *name)
{
	struct gathering *g = ctx;
	struct queue *whole = queue_set_find(&g->w->wholes, name);

	g->too_many = whole && g->count + whole->shards > WATCH_MAX && !*g->w->names;
	for (int i = 0; whole && !g->too_many && i < whole->shards; i++) {
		if (make_room(g) < 0)
			return -1;
		g->known = g->known && is_same(g->w, g->count, shards_at(whole, i));
		g->queues[g->count] = *shards_at(whole, i);
		g->queues[g->count++].rest = NULL;
	}
	return whole && !g->too_many ? 0 : -1;
}

/* release ends the wait and passes its marks on to other waiters. */
static int release(struct watch *w, struct err *e)
{
	if (w->found && waiter_end(&w->waiter, NULL, e) < 0)
		return -1;
	if (w->found)
		waiter_free(&w->waiter);
	w->found = false; /* until the waiter is made */
	free(w->queues);
	free(w->broken);
	w->queues = NULL;
	w->broken = NULL;
	w->count = 0;
	return 0;
}

/* wait_for begins the wait anew, because the queues have changed. */
static int wait_for(struct watch *w, const struct gathering *g, struct err *e)
{
	if (release(w, e) < 0) {
		free(g->queues);
		return -1;
	}
	w->queues = g->queues;
	w->broken = calloc((size_t)g->count + 1, sizeof *w->broken);
	w->count = g->count;
	if (!w->broken)
		return err_memory(e);
	if (waiter_init(&w->waiter, w->x, w->queues, w->count, WAITER_TIME, e) < 0)
		return -1;
	w->found = true;
	if (!*w->names)
		w->waiter.waits.marks.also = w->newcomers;
	return 0;
}

static void forget_wholes(struct watch *w)
{
	queue_set_free(&w->wholes);
	queue_set_init(&w->wholes, w->x, w->prefix);
}

int watched_update(struct watch *w, struct err *e)
{
	struct gathering g = {.w = w, .known = true};
	int status = 0;

	w->object = *w->names ? *w->names : w->registry;
	if (*w->names && w->found && !w->shards_changed)
		return 0;
	w->shards_changed = false;
	if (!*w->names && w->wholes.count / 2 > WATCH_MAX)
		forget_wholes(w); /* if most of them are gone */
	for (char *const *name = w->names; *name && status == 0; name++)
		if (gather_one(&g, *name) < 0)
			status = err_reported(e);
	if (!*w->names)
		status = registry_each(w->x, w->prefix, gather_one, &g, e);
	if (status < 0 && e->status == DQ_REPORTED)
		err_memory(e); /* of gather_one */
	if (g.too_many) {
		free(g.queues);
		w->too_many = true;
		forget_wholes(w);
		return release(w, e);
	}
	if (status < 0 || (w->found && g.known && g.count == w->count)) {
		free(g.queues);
		if (status == 0)
			waiter_called(&w->waiter, w->count, 0, -1, false); /* the mark is used */
		return status;
	}
	return wait_for(w, &g, e);
}
