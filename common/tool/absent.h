/* absent: a queue that nothing was ever put into, or that was forgotten, may be a mistyped name; or its first put is still to come. */
#ifndef DQ_ABSENT_H
#define DQ_ABSENT_H

#include <stdbool.h>

#include "queue/queue.h"

/* What it means to the tool: the end of the line. */
#define ABSENT_PUT "dq-put makes it"
#define ABSENT_WAIT "waiting for the first dq-put"

/* absent_say asks whether the queue is there, of one in which nothing was found, and if not warns in one line, unless quiet. Nothing may
 * be in flight. 1: there is no such queue; 0: there is, or the server refuses to say; -1: the connection is lost (*e). */
int absent_say(struct queue *q, const char *meaning, bool quiet, struct err *e);

#endif
