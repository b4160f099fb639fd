/* flight: the batches of a pipeline that are not reported yet. It sends them as calls of an
 * exchange (exchange.h), which repeats them after a loss, and reports their items in the
 * order of sending.
 *
 * A node of a cluster may refuse a batch, because its slot is being moved: the batch waits, often
 * for seconds. Then its queue is set aside: its later batches wait, too, and those of other queues
 * are sent and reported meanwhile. So the order holds within a queue. */
#ifndef DQ_FLIGHT_H
#define DQ_FLIGHT_H

#include "bulk/batch.h"
#include "bulk/pipeline_conf.h"

#define FLIGHT_WINDOW 8 /* calls in flight */
#define FLIGHT_ASIDE 32 /* batches of queues that are set aside */

struct flight {
	struct pipeline_conf conf;
	struct exchange *x;
	struct wait wait;             /* of its exchanges */
	bool hurried;                 /* a signal came */
	struct batch *first, **last;  /* in order of sending; first is NULL: nothing is in flight */
	int count;
	struct batch *spare;
	struct batch *shards_changed; /* batches that did nothing: their queues have another number
	                               * of shards; set by the owner */
	const struct queue *listing;  /* being listed; NULL: none */
	unsigned listed;              /* how often it listed a queue, and the last generation */
	char generation[NAME_TOKEN_MAX + 1];
};

void flight_init(struct flight *f, struct exchange *x, const struct pipeline_conf *conf);

/* flight_spare takes a used batch back. */
void flight_spare(struct flight *f, struct batch *batch);

/* flight_batch returns an empty batch, preferably a used one, whose memory has already grown.
 * NULL: out of memory. */
struct batch *flight_batch(struct flight *f, struct queue *q);

/* flight_launch sends a batch and owns it from then on; while the window is full, it waits for
 * replies. -1: as pipeline_add. */
int flight_launch(struct flight *f, struct batch *batch, struct err *e);

/* flight_land waits for the next reply, or until a batch may be sent again, and reports the items
 * that it completes. -1: as pipeline_add. */
int flight_land(struct flight *f, struct err *e);

/* flight_waits: is the queue set aside? */
bool flight_waits(const struct flight *f, const struct queue *q);

/* flight_busy: is a batch in flight whose queue is not set aside? */
bool flight_busy(const struct flight *f);

/* flight_due: the time (clock_ms) from which flight_land does more than wait;
 * in the past while a reply is expected. */
int64_t flight_due(const struct flight *f);

/* flight_hurry: after a signal. Replies may take a little less than a second more; no connection is
 * opened in that time. */
void flight_hurry(struct flight *f);

/* flight_end_listing, after a final failure, reports that a queue could not be listed because of
 * *e, if one was being listed. */
void flight_end_listing(struct flight *f, const struct err *e);

/* flight_drop, after a final failure, discards all batches. */
void flight_drop(struct flight *f);
void flight_free(struct flight *f);

#endif
