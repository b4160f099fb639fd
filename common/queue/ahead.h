/* ahead: sends the first calls of several queues together, before the turns of these queues. On a cluster the nodes then work at the same
 * time. */
#ifndef DQ_AHEAD_H
#define DQ_AHEAD_H

#include "queue/queue.h"

/* A server works on this many queues before it serves other clients. With 16 it is never idle, and other clients hardly wait. */
#define AHEAD_MAX 16

/* ahead_ask makes the calls of count queues, sends them and receives the replies. The next calls of the same scripts use these replies.
 * ahead need not be initialised. make fills the first elements of calls, or none. If a connection fails, ahead_ask closes it. ahead_end
 * discards the replies that no call used. ahead_ask_known is ahead_ask, but on a cluster does not ask which node has which slot: for a
 * few calls MOVED teaches that as fast, and the user needs no right for it. ahead_list lists the elements of an array. */
void ahead_list(struct queue *array, int count, struct queue *list[AHEAD_MAX]);
void ahead_ask(struct conn *root, struct queue *const *queues, struct queue_ahead ahead[AHEAD_MAX], int count,
	       void (*make)(void *ctx, struct call calls[QUEUE_AHEAD], struct queue *q), void *ctx);
void ahead_ask_known(struct conn *root, struct queue *const *queues, struct queue_ahead ahead[AHEAD_MAX], int count,
		     void (*make)(void *ctx, struct call calls[QUEUE_AHEAD], struct queue *q), void *ctx);
void ahead_end(struct queue *const *queues, struct queue_ahead ahead[AHEAD_MAX], int count);

#endif
