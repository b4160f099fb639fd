/* notice: says what the lower layers came upon in a queue, and cannot say themselves. */
#ifndef DQ_NOTICE_H
#define DQ_NOTICE_H

#include "queue/queue.h"

/* notice_say warns of q->notice, if there is one, and empties it. */
void notice_say(struct queue *q);

#endif
