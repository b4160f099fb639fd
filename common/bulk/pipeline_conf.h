/* pipeline_conf: what a pipeline sends, and how it reports the result of each item. */
#ifndef DQ_PIPELINE_CONF_H
#define DQ_PIPELINE_CONF_H

#include <stdbool.h>
#include <stddef.h>

#include "queue/queue.h"

#define PIPELINE_FIXED_MAX 6

/* How one item ended. letter is the script's: letters.h. */
struct pipeline_result {
	const struct queue *queue; /* or the shard that has the item */
	size_t number;      /* of the item, from 0, in the order of adding.
	                     * With one queue of one shard results come in that order */
	const char *id;     /* the item's first text; NUL-ended */
	const char *second; /* its second text, NUL-ended; "" if width is 1 */
	char letter;
	int64_t max_len;    /* PUT_FULL: the limit of the queue, or of its shard; -1: not said */
	bool repeated;      /* the call was sent twice: the first may have been done */
	/* NULL: as durable as requested (durability.h); else why not */
	const struct err *unconfirmed;
};

struct pipeline_conf {
	const struct script *script;
	int width;
	int once;               /* as in batch_build */
	int fixed_count;
	const char *fixed[PIPELINE_FIXED_MAX]; /* borrowed for the pipeline's life */
	int repeat_at;          /* index in fixed, or -1 */
	const char *repeat;
	const char *letters;    /* that the script may answer */
	bool single;            /* do not repeat a call that may have been done: doing it twice
	                         * would do harm */
	bool lists;             /* the script is put: if its reply asks for that,
	                         * list the queue before each() is called */
	void (*each)(void *ctx, const struct pipeline_result *result);
	/* refused: a whole call of n items was refused. It did nothing, unless e->fate is unknown.
	 * n is 0 if only the queue's name could not be listed. */
	void (*refused)(void *ctx, const struct queue *queue, size_t n, const struct err *e);
	void *ctx;
};

#endif
