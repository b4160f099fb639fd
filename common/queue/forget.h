/* forget: removes a queue that has no messages: first its keys, then its name in the list of all queues (registry.h). */
#ifndef DQ_FORGET_H
#define DQ_FORGET_H

#include "queue/queue.h"

/* forget_queue removes all keys and the name of a queue, if it has no messages; *forgotten says whether it had none. idle: remove it only
 * if no put and no take came for so many ms, it is not paused, reserves no ids and has one shard. -1: remove it in any case. */
int forget_queue(struct queue *q, int64_t idle, bool *forgotten, struct err *e);

/* forget_queues does this for at most AHEAD_MAX queues, in two exchanges for all of them: for those that are wanted and have one shard. It
 * then calls told for each of these, with NULL or the error. If told returns less than 0, forget_queues stops and returns that. */
int forget_queues(struct queue *queues, const bool *wanted, int count, int64_t idle,
			 int (*told)(void *ctx, int i, bool forgotten, const struct err *e), void *ctx);

#endif
