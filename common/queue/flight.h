/* flight: the calls of a pipeline that are in flight: sends batches, sends those without a reply again on a new connection, and
 * reports the items of each in the order of sending. */
#ifndef DQ_FLIGHT_H
#define DQ_FLIGHT_H

#include "queue/batch.h"
#include "queue/pipeline_conf.h"
#include "queue/registration.h"
#include "redis/session.h"

#define FLIGHT_WINDOW 8 /* calls in flight */

struct flight {
	struct pipeline_conf conf;
	struct conn *conn;                /* or, in a cluster, the root of its nodes */
	struct session session;
	struct wait wait;                 /* of its exchanges; until is set once it was stopped */
	int64_t retry_until;              /* clock_ms: deadline for an answer after reconnecting; 0 = all is well */
	struct batch *first, **last;      /* in order of sending; first is NULL: nothing is in flight */
	int count;
	struct batch *spare;
	size_t launched;                  /* items */
	struct registration registration; /* of the first batch's queue */
};

void flight_init(struct flight *f, struct conn *conn, const struct pipeline_conf *conf);

/* flight_batch returns an empty batch, if there is one a spare one, whose memory has grown. NULL: memory is out. */
struct batch *flight_batch(struct flight *f, struct queue *q);

/* flight_launch sends a batch, which the flight owns from then on, and waits for answers while the window is full. flight_land waits for
 * the next answer and reports what it completes. -1: as pipeline_add. */
int flight_launch(struct flight *f, struct batch *batch, struct err *e);
int flight_land(struct flight *f, struct err *e);

/* flight_hurry: a signal came: the answers get not quite a second from now, in which no connection is opened anew. */
void flight_hurry(struct flight *f);

/* After a failure that is final. flight_end_listing reports that the queue being listed, if there is one, could not be listed because of
 * *e. flight_drop forgets all batches. */
void flight_end_listing(struct flight *f, const struct err *e);
void flight_drop(struct flight *f);

void flight_free(struct flight *f);

#endif
