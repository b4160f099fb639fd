/* batch: items of one queue that one script call carries. pipeline.h sends batches. */
#ifndef DQ_BATCH_H
#define DQ_BATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "queue/durability.h"
#include "queue/queue.h"

#define BATCH_ITEMS_MAX 500 /* per call; its scripts need about a third of the time of take per item (QUEUE_BATCH) */
#define BATCH_WIDTH_MAX 4   /* texts per item */

struct batch {
	struct batch *next; /* set by the owner */
	struct queue *queue;
	struct conn *conn;  /* the connection on which it was sent. The owner sets this and the next two */
	bool stranded;      /* conn was lost before all replies came, or the server refused the call: the batch must be sent again */
	bool ready;         /* now */
	int64_t retry_at;   /* clock_ms: not before that time */
	int64_t until;      /* clock_ms: a refusal after that time is final; 0: no such refusal, which makes the batch wait, has come yet */
	const struct err *failed; /* why the batch failed for good; NULL: it has not failed */
	struct buf bytes;   /* all texts of all items, each followed by NUL */
	size_t *lens;       /* length of each text without its NUL: items * width */
	size_t items;
	size_t *numbers;    /* one per item; set by the owner */
	struct queue *whole; /* the whole queue that has queue as its only shard or as one of several; set by the owner */
	unsigned sent_at;   /* when it was sent */
	bool repeated;      /* an earlier connection may have done it */
	struct call call;
	struct durability durability; /* of call */
};

/* batch_new makes an empty batch. batch_reset empties one and keeps its memory. NULL: out of memory. */
struct batch *batch_new(struct queue *q);
void batch_reset(struct batch *batch, struct queue *q);

/* batch_add copies one item. -1: out of memory, and the batch is unchanged. */
int batch_add(struct batch *batch, int width, const char *const texts[], const size_t lens[], size_t number);

/* batch_item returns the texts of item i. They are valid as long as the texts of the batch. */
void batch_item(const struct batch *batch, int width, size_t i, const char *texts[], size_t lens[]);

/* batch_build makes the call: the fixed arguments first, then the items. The queue's time argument replaces the first fixed argument. Add
 * no items afterwards: the bytes must stay where they are. once: number of the text (from 1; 0 = none) that is sent once, as one more
 * fixed argument, if it is the same in all items. If it differs, that argument is "" and the text is sent with each item. So no item may
 * have "" or a NUL as that text. */
void batch_build(struct batch *batch, const struct script *script, const char *const fixed[], int fixed_count, int width,
		 int once);

/* batch_over: true if no more replies are expected. */
bool batch_over(const struct batch *batch);

/* batch_awaited: true if a reply is expected. */
bool batch_awaited(const struct batch *batch);

/* For a list of batches. batch_list_awaited returns the connection of the first batch that expects a reply, or NULL. batch_list_strand
 * marks the batches on a connection as stranded. */
struct conn *batch_list_awaited(const struct batch *batch);
void batch_list_strand(struct batch *batch, const struct conn *conn);
/* batch_list_repeat marks batches as repeated if that connection may have done them; call it before batch_list_strand. unknown: calls
 * without a reply may have been done; they are marked even if they are not sent again. A batch that lacks only its confirmation was done,
 * and is marked too. */
void batch_list_repeat(struct batch *batch, const struct conn *conn, bool unknown);
void batch_list_fail(struct batch *batch, const struct conn *conn, const struct err *why); /* those stranded there */
struct batch **batch_list_end(struct batch **list); /* the place for the next batch */
void batch_list_free(struct batch *batch);

#endif
