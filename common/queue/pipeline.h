/* pipeline: many items through one script, in calls of up to BATCH_ITEMS_MAX items or QUEUE_BATCH_BYTES, several calls in flight.
 * For scripts that take some fixed arguments, then `width` texts for each item, and answer a letter for each item.
 *
 * A connection lost with calls in flight is opened anew, for as long as conf.wait.timeout of the connection, and those calls are
 * sent again (unless conf.single), marked as repeats: conf.repeat replaces the fixed argument repeat_at (for scripts that can
 * tell), and result->repeated is set: "no such message" may then be the second answer, and the first one is lost. */
#ifndef DQ_PIPELINE_H
#define DQ_PIPELINE_H

#include <stdbool.h>
#include <stddef.h>

#include "queue/flight.h"

#define PIPELINE_OPEN_MAX 100 /* queues whose items are gathered at once */

struct pipeline {
	struct batch *open;                   /* being gathered, one a shard; the one added to last comes first */
	int open_count;
	size_t added;                         /* items */
	struct flight flight;
	size_t unanswered, unsent;            /* items after a failure: without a reply (unknown); certainly not done */
	char object[2 * NAME_MAX_BYTES + 32]; /* likewise, for messages: a message, a queue or more, and ": "; "" = there are none */
};

void pipeline_init(struct pipeline *b, struct conn *conn, const struct pipeline_conf *conf);

/* pipeline_add gathers one item (copied), whose first text is its id, for the shard of q that has it
 * (shards.h), and sends when a batch is full, waiting for answers when the window is. q must outlive
 * the pipeline. Fails when the connection is lost for good (see e->status), was stopped, or memory is out: then pipeline_wind_up
 * tells what is unknown. An error reply is no failure here: refused() gets it. */
int pipeline_add(struct pipeline *b, struct queue *q, const char *const texts[], const size_t lens[], struct err *e);

/* pipeline_add_at adds an item to that shard of q, whatever its id is. */
int pipeline_add_at(struct pipeline *b, struct queue *q, int shard, const char *const texts[], const size_t lens[], struct err *e);

/* pipeline_finish sends the open batches and waits for all replies. The pipeline can be used afterwards. */
int pipeline_finish(struct pipeline *b, struct err *e);

/* Call pipeline_wind_up after a failure. If a signal stopped the pipeline, it sends the open batches and waits a little less than a second
 * for all replies; it opens no connection in that time. true: all replies came. Otherwise it counts the items without a reply: unanswered
 * (sent, so unknown) and unsent (certainly not done). */
bool pipeline_wind_up(struct pipeline *b, const struct err *e);
void pipeline_free(struct pipeline *b);

#endif
