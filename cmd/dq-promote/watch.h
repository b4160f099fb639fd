/* watch: promotes some queues, or all there are, for ever: dq-promote -f. Sleeps until a mark or a due time says there is something
 * to move; a queue that is new is found within seconds. */
#ifndef DQ_WATCH_H
#define DQ_WATCH_H

#include "watch_state.h"

/* watch_run returns why it ended: DQ_DONE (lasts or limit reached), DQ_STOPPED, or what will not pass by itself. */
enum status watch_run(struct watch *w);

#endif
