/* sent: calls that were sent before their turn, and their replies (ahead.h). */
#ifndef DQ_SENT_H
#define DQ_SENT_H

#include "redis/script.h"

/* Calls that were sent for a queue before its turn, together with those of other queues, so that the tool waits once. Each has its reply;
 * or lost says why not. A call without words was not sent. */
#define QUEUE_AHEAD 3
struct queue_ahead {
	struct call calls[QUEUE_AHEAD];
	struct err lost;
};

/* sent_run is script_run, or uses the reply to the call if it was sent before. ahead may be NULL. */
int sent_run(struct conn *c, struct queue_ahead *ahead, struct call *call, struct err *e);

/* sent_ask is sent_run for a reply of that hiredis type, as script_ask is script_run. */
int sent_ask(struct conn *c, struct queue_ahead *ahead, struct call *call, int type, struct err *e);

#endif
