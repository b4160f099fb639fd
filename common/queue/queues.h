/* queues: the queues that a tool has met, by name, each made once. */
#ifndef DQ_QUEUES_H
#define DQ_QUEUES_H

#include "queue/queue.h"

struct queues {
	struct conn *conn;
	const char *prefix;   /* borrowed */
	struct queue **slots; /* by a hash of the name; NULL = free */
	size_t cap, count;    /* cap: 0, or a power of two larger than count */
	/* The first call that queues_each's each will make of each of all queues, if it is always the same; NULL: unknown. */
	void (*ahead)(void *ctx, struct call *call, struct queue *q);
};

void queues_init(struct queues *all, struct conn *conn, const char *prefix);

/* queues_find returns the queue of that (valid) name, owned by all, or NULL when memory is out. */
struct queue *queues_find(struct queues *all, const char *name);

/* queues_each calls each with every named queue or, where names is empty (NULL-ended), with all there are, until one call
 * returns less than 0. Of all there are each is there for that call only: there may be 100,000, of 3 KiB each. Returns -1 with
 * e->status DQ_DONE where each has said why; or -1 with *e. */
int queues_each(struct queues *all, char *const *names, int (*each)(void *ctx, struct queue *q), void *ctx, struct err *e);
void queues_free(struct queues *all);

#endif
