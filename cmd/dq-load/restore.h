/* restore: a queue gets the limits that it had when it was dumped. */
#ifndef DQ_LOAD_RESTORE_H
#define DQ_LOAD_RESTORE_H

#include "dump_line.h"
#include "queue/queue.h"

/* restore_limits sets what was dumped, in one call, but for what the queue has already: that stays,
 * and so does a pause that an operator has set. It is called while the queue is paused for the
 * load. Errors: DQ_DATA if the limits do not suit the queue, or of settings_set. */
int restore_limits(struct queue *q, const struct dump_settings *dumped, struct err *e);

#endif
