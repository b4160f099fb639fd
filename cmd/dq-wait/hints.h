/* hints: wakes dq-wait when a message may have ended. The script that ends a message whose outcome
 * is kept publishes on the channel of that message (lua/lib/hint.lua). The tool subscribes to these
 * channels: on one connection more, in a cluster on one to each node. A hint is never data: dq-wait
 * asks. It subscribes before it asks, and asks now and then in any case: a hint that is lost, or
 * that the server does not allow, costs time, never an answer. */
#ifndef DQ_WAIT_HINTS_H
#define DQ_WAIT_HINTS_H

#include "ask.h"
#include "redis/exchange.h"
#include "redis/subscription.h"

#define HINTS_NODES 64 /* messages on more nodes have no hints */

struct hints {
	struct exchange *x; /* of the questions */
	struct wanted *all; /* borrowed */
	size_t count;
	/* by a hash of the channel: 1 + the place of a message in all; 0: free */
	size_t *cells, cap, used;
	size_t *hinted; /* the places of those that are */
	size_t hinted_count;
	struct subscription *nodes[HINTS_NODES];
	int node_count;
	bool refused; /* subscriptions are not allowed */
	bool over;    /* a subscription has ended: call hints_up */
};

/* -1: out of memory */
int hints_init(struct hints *h, struct exchange *x, struct wanted *all, size_t count);
void hints_free(struct hints *h);

/* hints_up subscribes to the messages that have not ended and were not subscribed to, as far as
 * that is possible now. 1: it did so to some: ask for all, because what happened before gave no
 * hint. 0: nothing has changed. -1: DQ_STOPPED. */
int hints_up(struct hints *h, const struct wait *wait, struct err *e);

/* hints_complete: does the end of each message that has not ended give a hint? */
bool hints_complete(const struct hints *h);

/* hints_take: the places of those that are hinted, until the next call of another function. */
const size_t *hints_take(struct hints *h, size_t *count);

/* hints_wait waits until some of the messages are hinted: 1; until clock_ms reaches until, or a
 * connection is lost: 0. -1: DQ_STOPPED. */
int hints_wait(struct hints *h, int64_t until, int stop_fd, struct err *e);

#endif
