/* idle: are queues without work, all at one time? Shards, and queues, are read one after the other,
 * and a message may go from one that is still to be read to one that was read. So they are read
 * twice. A message that leaves is counted; if both passes found nothing, and none has left since
 * the first, each of them was without work in between. */
#ifndef DQ_IDLE_H
#define DQ_IDLE_H

#include <stdbool.h>

#include "queue/queue.h"

/* One pass. */
struct idle {
	bool delayed;   /* delayed messages are work, too, but for held ones */
	bool busy;      /* something is ready, due or leased */
	int64_t shards; /* that were read */
	int64_t left;   /* so many have left them, ever */
};

/* idle_add reads a queue. begun: as queue_stat_end. */
int idle_add(struct idle *pass, struct queue *q, struct call *begun, struct err *e);

/* idle_all: 1: all queues were without work at one time. 0: they were not, or that is not proved.
 * read makes a pass: it calls idle_add for each queue, or until one is busy; less than 0: it
 * failed, and so does idle_all: -1. */
int idle_all(bool delayed, int (*read)(void *ctx, struct idle *pass), void *ctx);

#endif
