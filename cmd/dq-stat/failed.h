/* failed: reports what cannot be shown, and keeps the worst status. */
#ifndef DQ_FAILED_H
#define DQ_FAILED_H

#include <stdbool.h>

#include "queue/queue.h"

/* failed_show reports why a queue, or a message of it (id; else NULL), is not shown. Returns 0 if
 * the tool can continue. */
int failed_show(enum status *worst, const struct exchange *x, const char *queue, const char *id,
		const struct err *e);

/* failed_absent: a named queue that had no messages may not exist: then it reports that, and the
 * status is DQ_NO. Returns as above. */
int failed_absent(enum status *worst, struct queue *q, bool quiet);

/* failed_stale reports that a replica without its master supplied the output. */
void failed_stale(enum status *worst, const struct exchange *x);

/* failed_write writes to standard output at once, and reports a failure: 0 or -1. */
int failed_write(enum status *worst, const struct buf *text);

#endif
