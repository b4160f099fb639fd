/* later: of many queues, those whose slots are being moved to another node of a cluster come last, so that the others need not wait. */
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

/* later_start: from now on calls for such a queue fail (FATE_HELD). later_put says whether that is why the call failed; then the queue
 * gets its turn later. later_commit: something was reported, or is begun, that must not be repeated: the calls
 * wait. later_begin:
 * the next queue. */
void later_start(struct later *l, struct conn *conn);
bool later_put(struct later *l, const struct queue *q, const struct err *e);
void later_commit(struct later *l);
void later_begin(struct later *l);

/* later_run calls each for those queues, as queues_each. The calls repeat themselves until --timeout for all together. */
enum status later_run(struct later *l, struct queue_set *all, int (*each)(void *ctx, struct queue *q), void *ctx);

#endif
