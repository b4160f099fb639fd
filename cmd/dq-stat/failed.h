/* failed: says what cannot be shown, and keeps the worst status of all that was to be. */
#ifndef DQ_FAILED_H
#define DQ_FAILED_H

#include <stdbool.h>

#include "queue/queue.h"

/* failed_show says why a queue, or a message of it (id; else NULL), is not shown. Returns 0 where one can go on. */
int failed_show(enum status *worst, const struct conn *conn, const char *queue, const char *id, const struct err *e);

/* failed_absent: a named queue in which nothing was found may not even exist: DQ_NO. As above. */
int failed_absent(enum status *worst, struct queue *q, bool quiet);

/* failed_stale: what was shown is that of a replica without its master. */
void failed_stale(enum status *worst, const struct conn *conn);

/* failed_write writes to standard output at once, and says what failed: 0 or -1. */
int failed_write(enum status *worst, const struct buf *text);

#endif
