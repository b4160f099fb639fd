/* forget: a queue without a message goes: its keys, and then its name in the list of all queues (registry.h). */
#ifndef DQ_FORGET_H
#define DQ_FORGET_H

#include "queue/queue.h"

/* forget_queue removes all keys of a queue without a message, and its name; *forgotten says whether it was one. idle: only where for
 * so many ms nobody put there or took from there, it is not paused, keeps no ids unique and has one shard; -1: whatever it keeps. */
int forget_queue(struct queue *q, int64_t idle, bool *forgotten, struct err *e);

/* forget_queues is that of at most AHEAD_MAX queues, those that are wanted and of one shard, in two exchanges for all of them. Of
 * each of these it then calls told, with NULL or the error; less than 0 ends it, and is what it returns. */
int forget_queues(struct queue *queues, const bool *wanted, int count, int64_t idle,
			 int (*told)(void *ctx, int i, bool forgotten, const struct err *e), void *ctx);

#endif
