/* ahead: the first calls of some queues, sent ahead of their turns, all at once: those of a cluster's nodes take as long as the slowest. */
#ifndef DQ_AHEAD_H
#define DQ_AHEAD_H

#include "queue/queue.h"

/* A server works on as many at a time before it turns to others; with 16 it is idle no longer, and they hardly wait. */
#define AHEAD_MAX 16

/* ahead_ask makes the calls of count queues, sends them and gets the answers, which the next calls of those scripts then get. make fills
 * the first so many of calls, or none. Where a connection fails, it closes that. ahead_end forgets what was not asked for. */
void ahead_ask(struct conn *root, struct queue *queues, struct queue_ahead ahead[AHEAD_MAX], int count,
	       void (*make)(void *ctx, struct call calls[QUEUE_AHEAD], struct queue *q), void *ctx);
void ahead_end(struct queue *queues, struct queue_ahead ahead[AHEAD_MAX], int count);

#endif
