/* withheld: says once why a queue that has messages gives none: it is paused,
 * or its limits are reached. */
#ifndef DQ_WITHHELD_H
#define DQ_WITHHELD_H

#include "waiting/rounds.h"

/* Zero-initialise to start; withheld_free at the end. */
struct withheld {
	unsigned char *said; /* for each queue of the rounds: a bit for each reason */
};

/* withheld_paused is called after rounds_good for shard i, which returned news. It says each pause,
 * when it begins. until: its end, server's ms; -1 = none. */
void withheld_paused(const struct rounds *r, int i, unsigned news, int64_t until);

/* withheld_limited is called at the end of a round. It says that a limit has stopped a queue that
 * gave nothing in this round, in any of its shards: once for each queue, because a queue that is
 * always limited would be reported all the time. */
void withheld_limited(struct withheld *l, const struct rounds *r);
void withheld_free(struct withheld *l);

#endif
