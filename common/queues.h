/* queues: the queues that a tool has met, by name, each made once. */
#ifndef DQ_QUEUES_H
#define DQ_QUEUES_H

#include "queue.h"

struct queues_entry;
struct queues {
	struct conn *conn;
	const char *prefix; /* borrowed */
	struct queues_entry *first;
};

void queues_init(struct queues *all, struct conn *conn, const char *prefix);

/* queues_find returns the queue of that (valid) name, owned by all, or NULL when memory is out. */
struct queue *queues_find(struct queues *all, const char *name);

/* queues_each calls each with every named queue or, where names is empty (NULL-ended), with all there are, until one call
 * returns less than 0. Returns -1 then, with e->status DQ_DONE: each has said why; or -1 with *e. */
int queues_each(struct queues *all, char *const *names, int (*each)(void *ctx, struct queue *q), void *ctx, struct err *e);
void queues_free(struct queues *all);

#endif
