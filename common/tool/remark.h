/* remark: says what the lower layers came upon in a queue, and cannot say themselves. */
#ifndef DQ_REMARK_H
#define DQ_REMARK_H

#include "queue/queue.h"

/* remark_say warns of q->remark, if there is one, and empties it. */
void remark_say(struct queue *q);

#endif
