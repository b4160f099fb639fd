/* forget: removes a queue: first its keys, then its name in the list of all queues (registry.h). */
#ifndef DQ_FORGET_H
#define DQ_FORGET_H

#include "queue/queue.h"

/* forget_queue removes all keys and the name of a queue, if it has no messages and one shard.
 * *forgotten: it did. */
int forget_queue(struct queue *q, bool *forgotten, struct err *e);

/* forget_whole removes a queue of several shards with its messages, and counts them. Only
 * dq-rm -a may remove such a queue. *forgotten: the queue existed; another client may have
 * removed it first. */
int forget_whole(struct queue *q, bool *forgotten, int64_t *messages, struct err *e);

/* forget_queues does the same for the wanted ones of at most QUEUE_TOGETHER queues, if they have
 * one shard. It waits twice for all of them. It removes a queue only if no put and no take came for
 * idle ms, it is not paused, and no id is reserved. It then calls each for each of these, with NULL
 * or the error. If each returns less than 0, forget_queues stops and returns that. */
int forget_queues(struct queue *queues, const bool *wanted, int count, int64_t idle,
		  int (*each)(void *ctx, int i, bool forgotten, const struct err *e), void *ctx);

#endif
