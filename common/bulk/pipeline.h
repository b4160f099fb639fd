/* pipeline: many items through one script, in calls of up to BATCH_ITEMS_MAX items or
 * QUEUE_BATCH_BYTES, several calls in flight. The script takes some fixed arguments, then `width`
 * texts for each item, and replies with a letter for each item.
 *
 * If the connection is lost, the pipeline opens it again, for at most conf.wait.timeout of the
 * connection, and sends the calls without a reply again, unless conf.single is set. Such calls
 * are repeats: conf.repeat replaces the fixed argument repeat_at, and result->repeated is set.
 * Then "no such message" may be the reply to the second sending, while the reply to the first
 * one is lost. The same if the queue has other shards than was thought: the items are added
 * again, as repeats. */
#ifndef DQ_PIPELINE_H
#define DQ_PIPELINE_H

#include <stdbool.h>
#include <stddef.h>

#include "bulk/flight.h"

#define PIPELINE_OPEN_MAX 100 /* queues whose items are gathered at once */

struct pipeline {
	struct batch *open;                   /* being gathered, one a shard;
	                                       * the one added to last comes first */
	int open_count;
	size_t added;                         /* items */
	struct flight flight;
	size_t unanswered, unsent;            /* items after a failure: without a reply (unknown);
	                                       * certainly not done */
	char object[2 * NAME_MAX_BYTES + 32]; /* how a message about them begins: "QUEUE/ID: ",
	                                       * "QUEUE: ", or "" */
};

void pipeline_init(struct pipeline *b, struct exchange *x, const struct pipeline_conf *conf);

/* pipeline_add copies one item, whose first text is its id, into the batch of its shard (shards.h).
 * It sends full batches, and waits for a reply if FLIGHT_WINDOW calls have none. q must outlive the
 * pipeline. -1: the connection is lost for good, a signal came, or out of memory; pipeline_wind_up
 * then counts what is unknown. An error reply is not a failure: conf.refused gets it. */
int pipeline_add(struct pipeline *b, struct queue *q, const char *const texts[],
		 const size_t lens[], struct err *e);

/* pipeline_add_at adds an item to the given shard of q, for any id. An item without an id ("") is
 * about the queue itself: call pipeline_finish before and after, so that no message is in its
 * batch. pipeline_wind_up does not count it. */
int pipeline_add_at(struct pipeline *b, struct queue *q, int shard, const char *const texts[],
		    const size_t lens[], struct err *e);

/* pipeline_finish sends the open batches and waits for all replies.
 * The pipeline can be used afterwards. */
int pipeline_finish(struct pipeline *b, struct err *e);

/* pipeline_flush is pipeline_finish for a tool that waits for more items, and reads them meanwhile
 * (wait.h; NULL: it does not). It does not wait for queues that are set aside (flight.h): call it
 * again at *again_at (clock_ms; -1: all replies have come). */
int pipeline_flush(struct pipeline *b, struct meanwhile *meanwhile, int64_t *again_at,
		   struct err *e);

/* Call pipeline_wind_up after a failure. If a signal stopped the pipeline, it sends the open
 * batches and waits a little less than a second for all replies; it opens no connection in that
 * time. true: all replies came. Otherwise it counts the items without a reply: unanswered (sent, so
 * unknown) and unsent (certainly not done). */
bool pipeline_wind_up(struct pipeline *b, const struct err *e);
void pipeline_free(struct pipeline *b);

#endif
