/* answers: what the pipeline of a loader replies: prints the names of what is there, reports the rest, and counts both. */
#ifndef DQ_ANSWERS_H
#define DQ_ANSWERS_H

#include <stdbool.h>
#include <stddef.h>

#include "queue/pipeline.h"
#include "queue/shards.h"

/* Begins as zeros, but for the first two. */
struct answers {
	bool quiet, verbose;
	size_t loaded, there, replaced, kept, refused, unknown; /* messages */
	size_t failures;       /* of whatever kind */
	enum status status;    /* the worst so far */
	bool same[SHARDS_MAX]; /* to the beginning or the end of a queue, by shard: that dump was loaded whole */
};

/* answers_failure counts one. answers_each and answers_refused are for a pipeline_conf, whose ctx is a struct answers. */
void answers_failure(struct answers *a, enum status status);
void answers_each(void *ctx, const struct pipeline_result *r);
void answers_refused(void *ctx, const struct queue *queue, size_t n, const struct err *e);

#endif
