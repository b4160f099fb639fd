/* keyed: reads the messages of one key, in all states, without moving them. */
#ifndef DQ_KEYED_H
#define DQ_KEYED_H

#include "message/listing.h"

/* keyed_find calls each for every message of that (valid) key in q, a whole queue, with the state
 * that it has ("" = none). It finds each message that exists during the whole search, once
 * (base/dedup.h). The search reads all ids of the shard, so it takes a call for each KEYED_SLICE
 * messages there. Foreign ids are skipped, as in listing_end; q says so, not its shard. If each
 * returns less than 0, it stops and fails with DQ_REPORTED. */
#define KEYED_SLICE 100 /* Redis copies the bodies of all that it looks at */
int keyed_find(struct queue *q, const char *key,
	       int (*each)(void *ctx, const char *state, const struct listed *m), void *ctx,
	       struct err *e);

#endif
