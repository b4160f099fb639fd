/* many_queues: promotes more queues than a tool can wait for: promotes all in turn, a few at a
 * time, then rests. It holds no marks. */
#ifndef DQ_MANY_QUEUES_H
#define DQ_MANY_QUEUES_H

#include "follow.h"

/* many_queues_round promotes all queues once and rests, until until_us (clock_us; -1: forever) at
 * the latest. Returns 1 to continue, 0 if the time is over, -1 on error. It clears w->too_many if
 * the queues are few again. */
int many_queues_round(struct follow *w, int64_t until_us, struct err *e);

#endif
