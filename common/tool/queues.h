/* queues: what a tool does with each of the queues that were named, or of all there are. */
#ifndef DQ_QUEUES_H
#define DQ_QUEUES_H

#include "queue/queue_set.h"

/* queues_each is queue_set_each, and says what failed: DQ_DONE, or the status of that. DQ_REPORTED
 * is DQ_DONE here: each keeps the status. */
enum status queues_each(struct queue_set *all, char *const *names,
			int (*each)(void *ctx, struct queue *q), void *ctx);

/* queues_rest: likewise, queue_set_rest. */
enum status queues_rest(struct queue_set *all, int (*each)(void *ctx, struct queue *q), void *ctx);

#endif
