/* deliver: what becomes of messages that were taken: written, settled, or given back. */
#ifndef DQ_DELIVER_H
#define DQ_DELIVER_H

#include "taking.h"

/* deliver writes what was taken last. With --ack what was written is settled, so that a record is lost only if its reader loses it. -1:
 * t->status has it. */
int deliver(struct taking *t, struct queue *q);

/* deliver_late: a signal came while a reply was expected; its deliveries are given back. */
void deliver_late(struct taking *t, struct queue *q);

#endif
