/* answers: the replies to the pipeline of a loader. Prints the names of the messages that exist
 * now, reports the others, and counts both. */
#ifndef DQ_ANSWERS_H
#define DQ_ANSWERS_H

#include <stdbool.h>
#include <stddef.h>

#include "bulk/pipeline.h"
#include "queue/shards.h"

/* All zeros at the start, except the first three. keep: -e keep. */
struct answers {
	bool quiet, verbose, keep;
	const char *edge;      /* "beginning" or "end" of a queue: only that is in flight;
	                        * NULL: messages */
	bool edge_refused;     /* that was reported, for the first shard */
	bool claim_lost;       /* another load has the queue, or it was removed: this load may
	                        * not go on */
	size_t loaded, there, replaced, kept, refused, unknown; /* messages */
	size_t failures;       /* of any kind */
	enum status status;    /* the worst so far */
	bool same[SHARDS_MAX]; /* of each shard: its reply to the edge of a queue says that this
	                        * dump was loaded whole */
};

/* answers_failure counts one failure. answers_each and answers_refused are callbacks of a
 * pipeline_conf, whose ctx is a struct answers. */
void answers_failure(struct answers *a, enum status status);
void answers_each(void *ctx, const struct pipeline_result *r);
void answers_refused(void *ctx, const struct queue *queue, size_t n, const struct err *e);

#endif
