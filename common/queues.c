#include "queues.h"

#include <stdlib.h>
#include <string.h>

#include "registry.h"
#include "text.h"

#define CAP_MIN 16

void queues_init(struct queues *all, struct conn *conn, const char *prefix)
{
	memset(all, 0, sizeof *all);
	all->conn = conn;
	all->prefix = prefix;
}

/* slot: where name is, or would go. */
static struct queue **slot(struct queue **slots, size_t cap, const char *name)
{
	size_t i = (size_t)text_hash(TEXT_HASH, name, strlen(name)) & (cap - 1);

	while (slots[i] && strcmp(slots[i]->name, name) != 0)
		i = (i + 1) & (cap - 1);
	return &slots[i];
}

/* grow leaves a quarter of the slots free, so that a search ends soon. */
static int grow(struct queues *all)
{
	size_t cap = all->cap ? all->cap * 2 : CAP_MIN;
	struct queue **slots;

	if (all->count + 1 <= all->cap / 4 * 3)
		return 0;
	slots = calloc(cap, sizeof(*slots));
	if (!slots)
		return -1;
	for (size_t i = 0; i < all->cap; i++)
		if (all->slots[i])
			*slot(slots, cap, all->slots[i]->name) = all->slots[i];
	free(all->slots);
	all->slots = slots;
	all->cap = cap;
	return 0;
}

struct queue *queues_find(struct queues *all, const char *name)
{
	struct queue **at;

	if (grow(all) < 0)
		return NULL;
	at = slot(all->slots, all->cap, name);
	if (!*at && (*at = malloc(sizeof(**at)))) {
		queue_init(*at, all->conn, all->prefix, name);
		all->count++;
	}
	return *at;
}

struct visit {
	struct queues *all;
	int (*each)(void *ctx, struct queue *q);
	void *ctx;
};

static int visit_name(void *ctx, const char *name)
{
	struct visit *v = ctx;
	struct queue q;

	queue_init(&q, v->all->conn, v->all->prefix, name);
	return v->each(v->ctx, &q);
}

int queues_each(struct queues *all, char *const *names, int (*each)(void *ctx, struct queue *q), void *ctx, struct err *e)
{
	struct visit v = {all, each, ctx};

	e->status = DQ_DONE;
	if (!*names)
		return registry_each(all->conn, all->prefix, visit_name, &v, e);
	for (; *names; names++) {
		struct queue *q = queues_find(all, *names);
		if (!q)
			return err_memory(e);
		if (each(ctx, q) < 0)
			return -1;
	}
	return 0;
}

void queues_free(struct queues *all)
{
	for (size_t i = 0; i < all->cap; i++)
		free(all->slots[i]);
	free(all->slots);
}
