/* due_within: when delayed messages fall due. */
#ifndef DQ_DUE_WITHIN_H
#define DQ_DUE_WITHIN_H

#include "queue/queue.h"

#define DUE_BOUNDS 7

/* due_within_add counts the queue's delayed messages by the time until they are due, from now
 * (server's ms) on, and adds these numbers to counts: due in at most 1, 5, 15 min, 1, 6 h, 1 day, 1
 * week, and later. It sends DUE_BOUNDS ZCOUNTs in one exchange, each O(log N). */
int due_within_add(const struct queue *q, int64_t now, int64_t counts[DUE_BOUNDS + 1],
		   struct err *e);

#endif
