/* queue_set: the queues that a tool has met, by name, each made once. */
#ifndef DQ_QUEUE_SET_H
#define DQ_QUEUE_SET_H

#include "queue/queue.h"

struct queue_set {
	struct conn *conn;
	const char *prefix;   /* borrowed */
	struct queue **slots; /* by a hash of the name; NULL = free */
	size_t cap, count;    /* cap: 0, or a power of two larger than count */
	/* The first calls (ahead.h) that queue_set_each's each will make of each of all queues, if they are always the same; NULL: unknown. */
	void (*ahead)(void *ctx, struct call calls[QUEUE_AHEAD], struct queue *q);
	/* What is to be done of some queues together, after each of them; less than 0 as each. NULL: nothing. */
	int (*together)(void *ctx, struct queue *queues, int count);
};

void queue_set_init(struct queue_set *all, struct conn *conn, const char *prefix);

/* queue_set_find returns the queue of that (valid) name, owned by all, or NULL when memory is out. */
struct queue *queue_set_find(struct queue_set *all, const char *name);

/* queue_set_each calls each with every named queue or, where names is empty (NULL-ended), with all there are, until one call
 * returns less than 0. Of all there are each is there for that call only: there may be 100,000, of 3 KiB each. -1: DQ_SAID where
 * each or together returned that, or another error. */
int queue_set_each(struct queue_set *all, char *const *names, int (*each)(void *ctx, struct queue *q), void *ctx, struct err *e);
void queue_set_free(struct queue_set *all);

#endif
