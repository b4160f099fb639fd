/* horizon: when delayed messages fall due. */
#ifndef DQ_HORIZON_H
#define DQ_HORIZON_H

#include "queue/queue.h"

#define HORIZON_BOUNDS 7

/* horizon_add counts the queue's delayed messages by the time until they are due, from now (server's ms) on, and adds these numbers to
 * counts: due in at most 1, 5, 15 min, 1, 6 h, 1 day, 1 week, and later. It sends HORIZON_BOUNDS ZCOUNTs in one exchange, each O(log N). */
int horizon_add(const struct queue *q, int64_t now, int64_t counts[HORIZON_BOUNDS + 1], struct err *e);

#endif
