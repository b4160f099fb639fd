/* failure: what dq-take does if a call for one of its queues fails, and the other queues can be served. */
#ifndef DQ_FAILURE_H
#define DQ_FAILURE_H

#include "taker_state.h"

/* failure_prepare allocates the state of each shard that is known by now. */
int failure_prepare(struct taker *t, struct err *e);

/* failure_handle: the call for the i-th shard failed with *e. 1: the queue has other shards: begin the round again; 0: go on with the next
 * shard; -1: the error concerns all. failure_skips: is a call for the i-th shard of no use now? */
int failure_handle(struct taker *t, int i, struct err *e);
bool failure_skips(struct taker *t, int i);

#endif
