/* absent: reports a queue that does not exist.
 * Its name may be mistyped, or its first put is still to come. */
#ifndef DQ_ABSENT_H
#define DQ_ABSENT_H

#include <stdbool.h>

#include "queue/queue.h"

/* The end of the line: what this means for the tool. */
#define ABSENT_PUT "dq-put creates it"
#define ABSENT_WAIT "waiting for the first dq-put"

/* Call absent_say after nothing was found in the queue, and with nothing in flight. It asks the
 * server whether the queue exists. If not, it warns in one line, unless quiet. 1: no such queue.
 * 0: the queue exists, or the server refuses to reply. -1: the connection is lost. */
int absent_say(struct queue *q, const char *meaning, bool quiet, struct err *e);

#endif
