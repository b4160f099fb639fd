/* notice: prints what the lower layers found in a queue, because they never print. */
#ifndef DQ_NOTICE_H
#define DQ_NOTICE_H

#include "queue/queue.h"

/* notice_say warns of q->notice, if there is one, and empties it. */
void notice_say(struct queue *q);

#endif
