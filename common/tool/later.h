/* later: a tool for many queues processes those last whose slots are being moved to another node of a cluster. So the others need not
 * wait. */
#ifndef DQ_LATER_H
#define DQ_LATER_H

#include "base/buf.h"
#include "queue/queue_set.h"
#include "tool/die.h"

struct later {
	struct conn *conn;
	struct buf names; /* each ended by NUL */
	size_t count;
};

/* later_start: from now on calls for such a queue fail (FATE_MOVING). later_put: did the call fail for this reason? Then it notes the queue
 * for later_run. later_commit: the tool has reported or begun something that must not be repeated, so from now on the calls of this queue
 * wait. later_begin: the next queue begins. */
void later_start(struct later *l, struct conn *conn);
bool later_put(struct later *l, const struct queue *q, const struct err *e);
void later_commit(struct later *l);
void later_begin(struct later *l);

/* later_run calls each for these queues, as queues_each does. The calls are repeated until --timeout, which is one time for all of them. */
enum status later_run(struct later *l, struct queue_set *all, int (*each)(void *ctx, struct queue *q), void *ctx);

#endif
