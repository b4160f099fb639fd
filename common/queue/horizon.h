/* horizon: when delayed messages fall due. */
#ifndef DQ_HORIZON_H
#define DQ_HORIZON_H

#include "queue/queue.h"

#define HORIZON_BOUNDS 7

/* How far ahead each count goes, ms; the last count has all that is due later. */
extern const int64_t horizon_ms[HORIZON_BOUNDS];

/* horizon_add adds to counts how many delayed messages of the queue fall due until each bound, from now (server's ms) on: HORIZON_BOUNDS
 * ZCOUNTs in one exchange, each O(log N). */
int horizon_add(const struct queue *q, int64_t now, int64_t counts[HORIZON_BOUNDS + 1], struct err *e);

#endif
