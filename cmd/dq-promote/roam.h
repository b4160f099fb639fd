/* roam: promotes more queues than a tool can wait for: goes through all of them, a few at a time, then rests. It holds no marks. */
#ifndef DQ_ROAM_H
#define DQ_ROAM_H

#include "watch_state.h"

/* roam_round goes through all queues once and rests, until_us (clock_us; -1: never) at the longest: 1 go on, 0 the time is up, -1 error.
 * It clears w->roams if there are few queues again. */
int roam_round(struct watch *w, int64_t until_us, struct err *e);

#endif
