/* watch: promotes some or all queues until it is stopped: dq-promote -f. It sleeps until a mark or
 * a due time says that there is something to move; it finds new queues within seconds. */
#ifndef DQ_WATCH_H
#define DQ_WATCH_H

#include "follow.h"

/* watch_run returns the reason for its end: DQ_DONE (lasts or limit reached), DQ_STOPPED,
 * or a permanent error. */
enum status watch_run(struct follow *w);

#endif
