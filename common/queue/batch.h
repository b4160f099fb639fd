/* batch: some items of one queue on their way through one script call. What pipeline.h sends. */
#ifndef DQ_BATCH_H
#define DQ_BATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "queue/durability.h"
#include "queue/queue.h"

#define BATCH_ITEMS_MAX 500 /* a call: what these scripts do to an item is the half of what take does (QUEUE_BATCH) */
#define BATCH_WIDTH_MAX 3   /* texts an item */

struct batch {
	struct batch *next; /* the owner's */
	struct queue *queue;
	struct conn *conn;  /* on which it was sent: the owner's, as are the next two */
	bool stranded;      /* that was lost before all replies came, or its server refused it: it is to be sent again */
	bool ready;         /* now */
	const struct err *failed; /* it is lost for good; NULL: it is not */
	struct buf bytes;   /* all texts of all items, each ended by NUL */
	size_t *lens;       /* of each text, NUL not counted: items * width */
	size_t items;
	size_t *numbers;    /* of each item: the owner's */
	struct queue *whole; /* the queue of which queue is the only shard, or one of several: the owner's */
	unsigned sent_at;   /* when it was sent */
	bool repeated;      /* perhaps done on an earlier connection */
	struct call call;
	struct durability durability; /* of call */
};

/* batch_new and batch_reset make an empty one; the latter keeps the memory it has. NULL: memory is out. */
struct batch *batch_new(struct queue *q);
void batch_reset(struct batch *batch, struct queue *q);

/* batch_add copies one item. -1 when memory is out: the batch is as before. */
int batch_add(struct batch *batch, int width, const char *const texts[], const size_t lens[], size_t number);

/* batch_item gives the texts of the i-th item: they live as long as those of the batch. */
void batch_item(const struct batch *batch, int width, size_t i, const char *texts[], size_t lens[]);

/* batch_build lays the call out, fixed arguments first (in place of the first one goes what the queue gives there): only now do the bytes stay where they are. once: which text of an
 * item (from 1; 0 = none) is sent as one more fixed argument, and not with the items, where it is the same in all of them; that
 * argument is "" where it is not, so no item may have "" there, or a NUL in it. */
void batch_build(struct batch *batch, const struct script *script, const char *const fixed[], int fixed_count, int width,
		 int once);

/* batch_over: have all of its replies come, or will none? */
bool batch_over(const struct batch *batch);

/* batch_awaited: is a reply on its way? */
bool batch_awaited(const struct batch *batch);

/* Of a list: batch_list_awaited is the connection of the first of which a reply is on its way, or NULL; batch_list_strand marks those on
 * that connection as stranded. */
struct conn *batch_list_awaited(const struct batch *batch);
void batch_list_strand(struct batch *batch, const struct conn *conn);
/* batch_list_repeat, before that, marks as repeated what may have been done there: calls without a reply, if that is unknown of them, also
 * where no other sending follows; those that only lack their confirmation have been. */
void batch_list_repeat(struct batch *batch, const struct conn *conn, bool unknown);
void batch_list_fail(struct batch *batch, const struct conn *conn, const struct err *why); /* those stranded there */
struct batch **batch_list_end(struct batch **list); /* where the next one goes */
void batch_list_free(struct batch *batch);

#endif
