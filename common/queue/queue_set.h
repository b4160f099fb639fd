/* queue_set: the queues that a tool has used, by name. Each is made once. */
#ifndef DQ_QUEUE_SET_H
#define DQ_QUEUE_SET_H

#include "base/buf.h"
#include "queue/queue.h"

#define QUEUE_SET_BEGUN 3

struct queue_set {
	struct exchange *x;
	const char *prefix;   /* borrowed */
	struct queue **cells; /* by a hash of the name; NULL = free */
	size_t cap, count;    /* cap: 0, or a power of two larger than count */
	/* begin begins the first calls that the callback of queue_set_each makes for each of all
	 * queues, if they are always the same, before the turns of several queues. So the tool
	 * waits once, and in a cluster the nodes work at the same time. NULL: unknown. */
	void (*begin)(void *ctx, struct call calls[QUEUE_SET_BEGUN], struct queue *q);
	bool begins_named;  /* also for queues that are named: those calls only read */
	struct call *begun; /* these calls of the queue whose turn it is;
	                     * those that the callback does not end are dropped. NULL: none */
	bool moving_last;   /* queue_set_moving_last */
	struct buf put_off; /* names, each ended by NUL */
	size_t put_off_count;
	/* Called for several queues together, after the callback was called for each of them. Less
	 * than 0 stops, as for each. NULL: nothing. */
	int (*together)(void *ctx, struct queue *queues, int count);
};

void queue_set_init(struct queue_set *all, struct exchange *x, const char *prefix);

/* queue_set_find returns the queue with that (valid) name, which all owns,
 * or NULL if out of memory. */
struct queue *queue_set_find(struct queue_set *all, const char *name);

/* queue_set_each calls each for every named queue, or for all queues if names is empty
 * (NULL-ended), until one call returns less than 0. With all queues, each queue exists only during
 * that call, because there may be 100,000 queues of 3 KiB. -1: DQ_REPORTED if each or together
 * returned that, or another error. */
int queue_set_each(struct queue_set *all, char *const *names,
		   int (*each)(void *ctx, struct queue *q), void *ctx, struct err *e);
void queue_set_free(struct queue_set *all);

/* queue_set_moving_last: queues whose slots are being moved to another node of a cluster are
 * visited last, so that the others need not wait: from now on calls for them fail (MOVING_FAILS).
 * queue_set_put_off: did the call fail for this reason? Then queue_set_each visits the queue again
 * when it has visited all. queue_set_commit: the tool has reported or begun something that must not
 * be repeated, so from now on the calls of this queue wait.
 *
 * queue_set_rest visits what was put off, as queue_set_each does at its end: for a tool that visits
 * queues by itself. The calls are repeated until the time-out of the connection, which is one time
 * for all of them. */
void queue_set_moving_last(struct queue_set *all);
bool queue_set_put_off(struct queue_set *all, const struct queue *q, const struct err *e);
void queue_set_commit(struct queue_set *all);
int queue_set_rest(struct queue_set *all, int (*each)(void *ctx, struct queue *q), void *ctx,
		   struct err *e);

#endif
