/* sent: calls whose answers were fetched before their turn (ahead.h). */
#ifndef DQ_SENT_H
#define DQ_SENT_H

#include "redis/script.h"

/* Calls that were sent for a queue ahead of its turn, those of many queues at a time, to save waiting for each. Each has its reply, or lost
 * says why not. A call without words was not sent. */
#define QUEUE_AHEAD 3
struct queue_ahead {
	struct call calls[QUEUE_AHEAD];
	struct err lost;
};

/* sent_run is script_run, or takes the answer to the call that was sent ahead; ahead may be NULL. */
int sent_run(struct conn *c, struct queue_ahead *ahead, struct call *call, struct err *e);

#endif
