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
	bool again;                       /* something may be stranded, and the connections are open */
	bool pauses;                      /* before that is sent again */
	int hops;                         /* redirections since the last good reply */
	struct conn *gone;                /* of a node that is lost for good, until it answers again; NULL: there is none */
	struct err why;                   /* it is */
	struct batch *first, **last;      /* in order of sending; first is NULL: nothing is in flight */
	int count;
	struct batch *spare;
	struct batch *turned;             /* of which nothing was done: their queues have another number of shards. The owner's */
	struct registration registration; /* of the first batch's queue */
};

void flight_init(struct flight *f, struct conn *conn, const struct pipeline_conf *conf);

/* flight_spare gives a batch back. flight_batch returns an empty batch, if there is one a spare one, whose memory has grown. NULL: memory is out. */
void flight_spare(struct flight *f, struct batch *batch);
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

/* flight_send sends a batch. flight_strand: that connection is lost: what was sent on it and has no reply is stranded: to be sent again.
 * flight_resend sends what is stranded again, in order: another server may have none of what the lost one did, but did not confirm. A
 * batch waits for the replies to all others of its queue, so that they keep their order. flight_holds: must a batch that is new wait, too?
 * -1: *conn is lost. */
int flight_send(struct flight *f, struct batch *batch, struct err *e);
void flight_strand(struct flight *f, const struct conn *conn);
int flight_resend(struct flight *f, struct conn **conn, struct err *e);
bool flight_holds(const struct flight *f, const struct batch *batch);

/* flight_only_listing: do all batches have their replies, and only the listing has none? Not after a stop, which leaves the connection. */
bool flight_only_listing(const struct flight *f);

/* flight_give_up: that connection is lost for good: -1. But that of one node of a cluster is none of the others' business: what was sent
 * there is reported as refused, 0. */
int flight_give_up(struct flight *f, struct conn *conn, const struct err *e);

void flight_free(struct flight *f);

#endif
