#include "queues.h"

#include <stdlib.h>
#include <string.h>

struct queues_entry {
	struct queues_entry *next;
	struct queue queue;
};

void queues_init(struct queues *all, struct conn *conn, const char *prefix)
{
	all->conn = conn;
	all->prefix = prefix;
	all->first = NULL;
}

struct queue *queues_find(struct queues *all, const char *name)
{
	struct queues_entry **at, *entry;

	for (at = &all->first; (entry = *at); at = &entry->next) {
		if (strcmp(entry->queue.name, name))
			continue;
		/* To the front: receipts come in runs of one queue. */
		*at = entry->next;
		break;
	}
	if (!entry) {
		entry = malloc(sizeof *entry);
		if (!entry)
			return NULL;
		queue_init(&entry->queue, all->conn, all->prefix, name);
	}
	entry->next = all->first;
	all->first = entry;
	return &entry->queue;
}

struct visit {
	struct queues *all;
	int (*each)(void *ctx, struct queue *q);
	void *ctx;
	struct err *e;
};

static int visit_name(void *ctx, const char *name)
{
	struct visit *v = ctx;
	struct queue *q = queues_find(v->all, name);

	if (!q)
		return err_memory(v->e);
	return v->each(v->ctx, q);
}

int queues_each(struct queues *all, char *const *names, int (*each)(void *ctx, struct queue *q), void *ctx, struct err *e)
{
	struct visit v = {all, each, ctx, e};

	e->status = DQ_DONE;
	if (!*names)
		return queue_list(all->conn, all->prefix, visit_name, &v, e);
	for (; *names; names++)
		if (visit_name(&v, *names) < 0)
			return -1;
	return 0;
}

void queues_free(struct queues *all)
{
	while (all->first) {
		struct queues_entry *next = all->first->next;
		free(all->first);
		all->first = next;
	}
}
