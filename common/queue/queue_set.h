/* queue_set: the queues that a tool has used, by name. Each is made once. */
#ifndef DQ_QUEUE_SET_H
#define DQ_QUEUE_SET_H

#include "queue/queue.h"

struct queue_set {
	struct conn *conn;
	const char *prefix;   /* borrowed */
	struct queue **cells; /* by a hash of the name; NULL = free */
	size_t cap, count;    /* cap: 0, or a power of two larger than count */
	/* The first calls (ahead.h) that the callback of queue_set_each makes for each of all queues, if they are always the same. NULL:
	 * unknown. */
	void (*ahead)(void *ctx, struct call calls[QUEUE_AHEAD], struct queue *q);
	bool ahead_named; /* also for queues that are named: those calls only read */
	/* Called for several queues together, after the callback was called for each of them. Less than 0 stops, as for each. NULL:
	 * nothing. */
	int (*together)(void *ctx, struct queue *queues, int count);
};

void queue_set_init(struct queue_set *all, struct conn *conn, const char *prefix);

/* queue_set_find returns the queue with that (valid) name, which all owns, or NULL if out of memory. */
struct queue *queue_set_find(struct queue_set *all, const char *name);

/* queue_set_each calls each for every named queue, or for all queues if names is empty (NULL-ended), until one call returns less than 0.
 * With all queues, each queue exists only during that call, because there may be 100,000 queues of 3 KiB. -1: DQ_REPORTED if each or
 * together returned that, or another error. */
int queue_set_each(struct queue_set *all, char *const *names, int (*each)(void *ctx, struct queue *q), void *ctx, struct err *e);
void queue_set_free(struct queue_set *all);

#endif
