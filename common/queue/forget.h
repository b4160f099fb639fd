/* forget: removes a queue: first its keys, then its name in the list of all queues (registry.h). */
#ifndef DQ_FORGET_H
#define DQ_FORGET_H

#include "queue/queue.h"

/* forget_queue removes all keys and the name of a queue, if it has no messages and one shard; *forgotten says whether that was so. */
int forget_queue(struct queue *q, bool *forgotten, struct err *e);

/* forget_whole removes those of a whole of several shards, with its messages, which are counted: it was made by a command of its own, and
 * goes only by one. *forgotten: it was there, or another client has removed it meanwhile. */
int forget_whole(struct queue *q, bool *forgotten, int64_t *messages, struct err *e);

/* forget_queues does what forget_queue does for at most AHEAD_MAX queues, in two exchanges for all of them: for those that are wanted and
 * have one shard. idle: remove one only if no put and no take came for so many ms, it is not paused, and reserves no ids. It then calls
 * told for each of these, with NULL or the error. If told returns less than 0, forget_queues stops and returns that. */
int forget_queues(struct queue *queues, const bool *wanted, int count, int64_t idle,
			 int (*told)(void *ctx, int i, bool forgotten, const struct err *e), void *ctx);

#endif
