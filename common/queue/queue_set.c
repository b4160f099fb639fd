#include "queue/queue_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "queue/registry.h"
#include "redis/nodes.h"

#define CAP_MIN 16

void queue_set_init(struct queue_set *all, struct exchange *x, const char *prefix)
{
	memset(all, 0, sizeof *all);
	all->x = x;
	all->prefix = prefix;
}

/* find_cell returns where name is, or would be. */
static struct queue **find_cell(struct queue **cells, size_t cap, const char *name)
{
	size_t i = (size_t)text_hash(TEXT_HASH, name, strlen(name)) & (cap - 1);

	while (cells[i] && strcmp(cells[i]->name, name) != 0)
		i = (i + 1) & (cap - 1);
	return &cells[i];
}

/* grow leaves a quarter of the cells free, so that searches are short. */
static int grow(struct queue_set *all)
{
	size_t cap = all->cap ? all->cap * 2 : CAP_MIN;
	struct queue **cells;

	if (all->count + 1 <= all->cap / 4 * 3)
		return 0;
	cells = calloc(cap, sizeof(struct queue *));
	if (!cells)
		return -1;
	for (size_t i = 0; i < all->cap; i++)
		if (all->cells[i])
			*find_cell(cells, cap, all->cells[i]->name) = all->cells[i];
	free(all->cells);
	all->cells = cells;
	all->cap = cap;
	return 0;
}

struct queue *queue_set_find(struct queue_set *all, const char *name)
{
	struct queue **at, *q;

	if (grow(all) < 0)
		return NULL;
	at = find_cell(all->cells, all->cap, name);
	q = *at;
	if (q)
		return q;
	q = malloc(sizeof *q);
	if (!q)
		return NULL;
	queue_init(q, all->x, all->prefix, name);
	*at = q;
	all->count++;
	return q;
}

/* The calls of some queues that are visited together. */
struct begun {
	struct call calls[QUEUE_TOGETHER][QUEUE_SET_BEGUN];
};

/* turn: the next queues begin. */
static void turn(struct queue_set *all)
{
	if (all->moving_last && all->x->nodes.moving == MOVING_WAITS)
		all->x->nodes.moving = MOVING_FAILS;
}

static void begin(struct queue_set *all, struct begun *begun, struct queue *const *list, int count,
		  void *ctx)
{
	memset(begun->calls, 0, (size_t)count * sizeof begun->calls[0]);
	turn(all);
	nodes_map(&all->x->nodes, NULL);
	for (int i = 0; i < count; i++)
		all->begin(ctx, begun->calls[i], list[i]);
	exchange_push(all->x);
}

static void end(struct begun *begun, int count)
{
	for (int i = 0; i < count; i++)
		for (int k = 0; k < QUEUE_SET_BEGUN; k++)
			call_free(&begun->calls[i][k]);
}

struct visit {
	struct queue_set *all;
	int (*each)(void *ctx, struct queue *q);
	void *ctx;
	struct queue queues[QUEUE_TOGETHER]; /* queues whose turn is still to come */
	struct begun begun;
	int count;
};

/* visit_gathered visits the gathered queues. */
static int visit_gathered(struct visit *v)
{
	struct queue *list[QUEUE_TOGETHER];
	int status = 0, asked = v->all->begin ? v->count : 0;

	for (int i = 0; i < v->count; i++)
		list[i] = &v->queues[i];
	if (asked > 0)
		begin(v->all, &v->begun, list, asked, v->ctx);
	for (int i = 0; i < v->count && status == 0; i++) {
		turn(v->all);
		v->all->begun = asked > 0 ? v->begun.calls[i] : NULL;
		status = v->each(v->ctx, &v->queues[i]);
	}
	v->all->begun = NULL;
	if (status == 0 && v->all->together)
		status = v->all->together(v->ctx, v->queues, v->count);
	end(&v->begun, asked);
	for (int i = 0; i < v->count; i++)
		queue_free(&v->queues[i]);
	v->count = 0;
	return status;
}

static int visit_name(void *ctx, const char *name)
{
	struct visit *v = ctx;

	queue_init(&v->queues[v->count++], v->all->x, v->all->prefix, name);
	return v->count == (v->all->begin ? QUEUE_TOGETHER : 1) ? visit_gathered(v) : 0;
}

static int visit_all(struct queue_set *all, int (*each)(void *ctx, struct queue *q), void *ctx,
		     struct err *e)
{
	struct visit *v = calloc(1, sizeof *v); /* 50 KiB: too much for a stack that may not grow */
	int status;

	if (!v)
		return err_memory(e);
	v->all = all;
	v->each = each;
	v->ctx = ctx;
	status = registry_each(all->x, all->prefix, visit_name, v, e);
	if (status == 0 && visit_gathered(v) < 0)
		status = err_reported(e);
	free(v);
	return status;
}

/* find_some finds the named queues that are asked together: at most QUEUE_TOGETHER, each once. One
 * of several shards is asked alone, shard by shard. Returns how many; -1: memory. */
static int find_some(struct queue_set *all, char *const *names, struct queue *list[QUEUE_TOGETHER])
{
	int count = 0;

	for (; count < (all->begins_named ? QUEUE_TOGETHER : 1) && names[count]; count++) {
		struct queue *q = queue_set_find(all, names[count]);
		if (!q)
			return -1;
		for (int i = 0; i < count; i++)
			if (list[i] == q)
				return count;
		list[count] = q;
		if (q->rest)
			return count ? count : 1;
	}
	return count;
}

/* visit_some: as visit_gathered, of named queues. */
static int visit_some(struct queue_set *all, struct queue *const *list, int count,
		      int (*each)(void *ctx, struct queue *q), void *ctx)
{
	struct begun begun; /* large: not cleared for one queue */
	int status = 0, asked = all->begins_named && count > 1 ? count : 0;

	if (asked > 0)
		begin(all, &begun, list, asked, ctx);
	for (int i = 0; i < count && status >= 0; i++) {
		turn(all);
		all->begun = asked > 0 ? begun.calls[i] : NULL;
		status = each(ctx, list[i]) < 0 ? -1 : 0;
		all->begun = NULL;
		if (status == 0 && all->together)
			status = all->together(ctx, list[i], 1);
	}
	end(&begun, asked);
	return status;
}

static int visit_named(struct queue_set *all, char *const *names,
		       int (*each)(void *ctx, struct queue *q), void *ctx, struct err *e)
{
	for (int count; *names; names += count) {
		struct queue *list[QUEUE_TOGETHER];
		count = find_some(all, names, list);
		if (count < 0)
			return err_memory(e);
		if (visit_some(all, list, count, each, ctx) < 0)
			return err_reported(e);
	}
	return 0;
}

/* may_rest: after such an end of the visits those that were put off can be visited nevertheless. */
static bool may_rest(int status, const struct err *e)
{
	return status == 0 || (e->status != DQ_REPORTED && e->status != DQ_STOPPED);
}

int queue_set_each(struct queue_set *all, char *const *names,
		   int (*each)(void *ctx, struct queue *q), void *ctx, struct err *e)
{
	int status = *names ? visit_named(all, names, each, ctx, e) : visit_all(all, each, ctx, e);
	struct err late;

	if (may_rest(status, e) && queue_set_rest(all, each, ctx, &late) < 0 && status == 0) {
		*e = late;
		status = -1;
	}
	return status;
}

/* --- what is visited last --- */

void queue_set_moving_last(struct queue_set *all)
{
	all->moving_last = true;
	all->x->nodes.moving = MOVING_FAILS;
}

bool queue_set_put_off(struct queue_set *all, const struct queue *q, const struct err *e)
{
	if (e->fate != FATE_MOVING || !all->moving_last || all->x->nodes.moving != MOVING_FAILS ||
	    buf_add(&all->put_off, q->name, strlen(q->name) + 1) < 0)
		return false;
	all->put_off_count++;
	return true;
}

void queue_set_commit(struct queue_set *all)
{
	if (all->moving_last && all->x->nodes.moving == MOVING_FAILS)
		all->x->nodes.moving = MOVING_WAITS;
}

int queue_set_rest(struct queue_set *all, int (*each)(void *ctx, struct queue *q), void *ctx,
		   struct err *e)
{
	char **names = all->put_off_count ? calloc(all->put_off_count + 1, sizeof *names) : NULL,
	     *name = all->put_off.bytes;
	int status = 0;

	if (all->put_off_count && !names)
		status = err_memory(e);
	for (size_t i = 0; i < all->put_off_count && names; i++, name += strlen(name) + 1)
		names[i] = name;
	if (names) {
		nodes_expire(&all->x->nodes);
		status = visit_named(all, names, each, ctx, e);
	}
	free(names);
	buf_free(&all->put_off);
	all->put_off_count = 0;
	if (all->moving_last)
		all->x->nodes.moving = MOVING_WAITS;
	return status;
}

void queue_set_free(struct queue_set *all)
{
	for (size_t i = 0; i < all->cap; i++) {
		if (all->cells[i])
			queue_free(all->cells[i]);
		free(all->cells[i]);
	}
	free(all->cells);
	buf_free(&all->put_off);
}
