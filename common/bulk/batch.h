/* batch: items of one queue that one script call carries. pipeline.h sends batches. */
#ifndef DQ_BATCH_H
#define DQ_BATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "redis/durability.h"
#include "queue/queue.h"

#define BATCH_ITEMS_MAX 500 /* per call; its scripts need about a third of the time of take
                             * per item (QUEUE_BATCH) */
#define BATCH_WIDTH_MAX 4   /* texts per item */

struct batch {
	struct batch *next; /* set by the owner */
	struct queue *queue;
	struct buf bytes;   /* all texts of all items, each followed by NUL */
	size_t *lens;       /* length of each text without its NUL: items * width */
	size_t items;
	size_t *numbers;    /* one per item; set by the owner */
	/* the whole queue that has queue as its only shard or as one of several;
	 * set by the owner */
	struct queue *whole;
	bool repeated;      /* an earlier call without a reply may have done it; set by the owner */
	unsigned sent_at;   /* when it was sent; set by the owner */
	struct call call;
	struct durability durability; /* of call */
};

/* batch_new makes an empty batch. NULL: out of memory. */
struct batch *batch_new(struct queue *q);

/* batch_reset empties a batch and keeps its memory. */
void batch_reset(struct batch *batch, struct queue *q);

/* batch_add copies one item. -1: out of memory, and the batch is unchanged. */
int batch_add(struct batch *batch, int width, const char *const texts[], const size_t lens[],
	      size_t number);

/* batch_item returns the texts of item i. They are valid as long as the texts of the batch. */
void batch_item(const struct batch *batch, int width, size_t i, const char *texts[], size_t lens[]);

/* batch_build makes the call: the fixed arguments first, then the items. The queue's time argument
 * replaces the first fixed argument. Add no items afterwards: the bytes must stay where they are.
 * once = k (from 1; 0 = none): if text k is equal in all items, it is sent once, before the items,
 * as one more fixed argument. Else that argument is "", and each item has the text. So no item may
 * have "" or a NUL as that text. */
void batch_build(struct batch *batch, const struct script *script, const char *const fixed[],
		 int fixed_count, int width, int once);

struct batch **batch_list_end(struct batch **list); /* the place for the next batch */
void batch_list_free(struct batch *batch);

#endif
