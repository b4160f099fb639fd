/* flight: the calls of a pipeline that have no reply yet. It sends batches, sends unanswered batches again on a new connection, and
 * reports the items in the order of sending.
 *
 * A node of a cluster may refuse a batch, because its slot is being moved: the batch must wait, often for seconds. Then its queue is set
 * aside: the first batch of the queue is sent again from time to time, later ones follow when that has its reply. The batches of other
 * queues are sent and reported meanwhile. So the order holds within a queue. */
#ifndef DQ_FLIGHT_H
#define DQ_FLIGHT_H

#include "queue/batch.h"
#include "queue/pipeline_conf.h"
#include "queue/registration.h"
#include "redis/session.h"

#define FLIGHT_WINDOW 8 /* calls in flight */
#define FLIGHT_ASIDE 32 /* batches of queues that are set aside */

struct flight {
	struct pipeline_conf conf;
	struct conn *conn;                /* or, in a cluster, the root of its nodes */
	struct session session;
	struct wait wait;                 /* of its exchanges; until is set once it was stopped */
	int64_t retry_until;              /* clock_ms: deadline for an answer after reconnecting; 0 = all is well */
	bool again;                       /* a batch may be stranded, and the connections are open */
	int hops;                         /* redirections since the last good reply */
	struct conn *gone;                /* a node's connection that is lost for good, until the node answers again; NULL: none */
	struct err why;                   /* why it is lost */
	struct batch *first, **last;      /* in order of sending; first is NULL: nothing is in flight */
	int count;
	struct batch *spare;
	struct batch *shards_changed;     /* batches that did nothing: their queues have another number of shards; set by the owner */
	struct registration registration; /* of the first batch's queue */
};

void flight_init(struct flight *f, struct conn *conn, const struct pipeline_conf *conf);

/* flight_spare takes a used batch back. flight_batch returns an empty batch, preferably a used one, whose memory has already grown. NULL:
 * out of memory. */
void flight_spare(struct flight *f, struct batch *batch);
struct batch *flight_batch(struct flight *f, struct queue *q);

/* flight_launch sends a batch and owns it from then on; while the window is full, it waits for replies. flight_land waits for the next
 * reply, or until a batch may be sent again, and reports the items that it completes. -1: as pipeline_add. */
int flight_launch(struct flight *f, struct batch *batch, struct err *e);
int flight_land(struct flight *f, struct err *e);

/* flight_waits: is the queue set aside? flight_busy: is a batch in flight whose queue is not? flight_due: the time (clock_ms) from which
 * flight_land will not only wait; in the past while a reply is expected. */
bool flight_waits(const struct flight *f, const struct queue *q);
bool flight_busy(const struct flight *f);
int64_t flight_due(const struct flight *f);

/* flight_hurry: after a signal. Replies may take a little less than a second more; no connection is opened in that time. */
void flight_hurry(struct flight *f);

/* For a final failure. flight_end_listing reports that a queue could not be listed because of *e, if one was being listed. flight_drop
 * discards all batches. */
void flight_end_listing(struct flight *f, const struct err *e);
void flight_drop(struct flight *f);

/* flight_send sends a batch. flight_strand: that connection is lost; its batches without a reply are now stranded. flight_resend sends
 * stranded batches again, in order, those whose time has come. If the server is another one, it may lack even changes that the lost server
 * did but did not confirm. A batch waits until all earlier batches of its queue have replies, so the order is kept. flight_holds: true if a
 * new batch must wait for that too. flight_released: the server ran that call, so its queue is not set aside any more. flight_first: the
 * first batch of the queue, or NULL. flight_awaited: the connection of the next reply that can be reported; replies of other nodes stay in
 * their sockets. NULL: there is none. -1: *conn is lost. */
int flight_send(struct flight *f, struct batch *batch, struct err *e);
void flight_strand(struct flight *f, const struct conn *conn);
int flight_resend(struct flight *f, struct conn **conn, struct err *e);
bool flight_holds(const struct flight *f, const struct batch *batch);
void flight_released(struct flight *f, const struct call *done);
struct batch *flight_first(const struct flight *f, const struct queue *q);
struct conn *flight_awaited(const struct flight *f);

/* flight_only_listing: do all batches have their replies, and only the listing has none? Not after a stop, which leaves the connection. */
bool flight_only_listing(const struct flight *f);

/* flight_give_up: that connection is lost for good: -1. But in a cluster the other nodes continue: the calls sent to this node
 * are reported as refused, 0. */
int flight_give_up(struct flight *f, struct conn *conn, const struct err *e);

void flight_free(struct flight *f);

#endif
