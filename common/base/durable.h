/* durable: what must confirm a change before a tool reports it as done: replicas,
 * the server's disk, or nothing. */
#ifndef DQ_DURABLE_H
#define DQ_DURABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/* appendfsync everysec may take two seconds; a replica that is alive takes a round trip */
#define DURABLE_MS 3000
#define DURABLE_REPLICAS_MAX 100

struct durable {
	int replicas; /* number of replicas; 0: none */
	bool fsync;   /* the server's disk */
	int64_t ms;   /* time limit, at least 1 */
};

/* durable_parse reads N or N,DUR into replicas and ms; without DUR ms is unchanged. name is for the
 * message of the error, DQ_USAGE. */
int durable_parse(const char *text, const char *name, struct durable *d, struct err *e);

static inline bool durable_wanted(const struct durable *d)
{
	return d->replicas > 0 || d->fsync;
}

#endif
