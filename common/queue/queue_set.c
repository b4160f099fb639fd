#include "queue/queue_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "queue/ahead.h"
#include "queue/registry.h"

#define CAP_MIN 16

void queue_set_init(struct queue_set *all, struct conn *conn, const char *prefix)
{
	memset(all, 0, sizeof *all);
	all->conn = conn;
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
	queue_init(q, all->conn, all->prefix, name);
	*at = q;
	all->count++;
	return q;
}

struct visit {
	struct queue_set *all;
	int (*each)(void *ctx, struct queue *q);
	void *ctx;
	struct queue queues[AHEAD_MAX]; /* queues whose turn is still to come */
	struct queue_ahead ahead[AHEAD_MAX];
	int count;
};

/* visit_gathered visits the gathered queues. */
static int visit_gathered(struct visit *v)
{
	struct queue *list[AHEAD_MAX];
	int status = 0;

	ahead_list(v->queues, v->count, list);
	if (v->all->ahead)
		ahead_ask(v->all->conn, list, v->ahead, v->count, v->all->ahead, v->ctx);
	for (int i = 0; i < v->count && status == 0; i++)
		status = v->each(v->ctx, &v->queues[i]);
	if (status == 0 && v->all->together)
		status = v->all->together(v->ctx, v->queues, v->count);
	ahead_end(list, v->ahead, v->count);
	for (int i = 0; i < v->count; i++)
		queue_free(&v->queues[i]);
	v->count = 0;
	return status;
}

static int visit_name(void *ctx, const char *name)
{
	struct visit *v = ctx;

	queue_init(&v->queues[v->count++], v->all->conn, v->all->prefix, name);
	return v->count == (v->all->ahead ? AHEAD_MAX : 1) ? visit_gathered(v) : 0;
}

static int visit_all(struct queue_set *all, int (*each)(void *ctx, struct queue *q), void *ctx, struct err *e)
{
	struct visit *v = calloc(1, sizeof *v); /* 50 KiB: too much for a stack that may not grow */
	int status;

	if (!v)
		return err_memory(e);
	v->all = all;
	v->each = each;
	v->ctx = ctx;
	status = registry_each(all->conn, all->prefix, visit_name, v, e);
	if (status == 0 && visit_gathered(v) < 0)
		status = err_reported(e);
	free(v);
	return status;
}

/* find_some finds the named queues that are asked together: at most AHEAD_MAX, each once. One of several shards is asked alone, shard by
 * shard. Returns how many; -1: memory. */
static int find_some(struct queue_set *all, char *const *names, struct queue *list[AHEAD_MAX])
{
	int count = 0;

	for (; count < (all->ahead_named ? AHEAD_MAX : 1) && names[count]; count++) {
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
static int visit_some(struct queue_set *all, struct queue *const *list, int count, int (*each)(void *ctx, struct queue *q), void *ctx)
{
	struct queue_ahead ahead[AHEAD_MAX]; /* large: not cleared for one queue */
	int status = 0, asked = all->ahead_named && count > 1 ? count : 0;

	if (asked > 0)
		ahead_ask(all->conn, list, ahead, asked, all->ahead, ctx);
	for (int i = 0; i < count && status >= 0; i++) {
		status = each(ctx, list[i]) < 0 ? -1 : 0;
		if (status == 0 && all->together)
			status = all->together(ctx, list[i], 1);
	}
	ahead_end(list, ahead, asked);
	return status;
}

int queue_set_each(struct queue_set *all, char *const *names, int (*each)(void *ctx, struct queue *q), void *ctx, struct err *e)
{
	if (!*names)
		return visit_all(all, each, ctx, e);
	for (int count; *names; names += count) {
		struct queue *list[AHEAD_MAX];
		count = find_some(all, names, list);
		if (count < 0)
			return err_memory(e);
		if (visit_some(all, list, count, each, ctx) < 0)
			return err_reported(e);
	}
	return 0;
}

void queue_set_free(struct queue_set *all)
{
	for (size_t i = 0; i < all->cap; i++) {
		if (all->cells[i])
			queue_free(all->cells[i]);
		free(all->cells[i]);
	}
	free(all->cells);
}
