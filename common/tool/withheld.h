/* withheld: says once why a queue that has messages gives none: it is paused, or its limits are reached. */
#ifndef DQ_WITHHELD_H
#define DQ_WITHHELD_H

#include "message/take.h"
#include "waiting/rounds.h"

/* Zero-initialise to start; withheld_free at the end. */
struct withheld {
	unsigned char *said; /* for each queue of the rounds: a bit for each reason */
};

/* withheld_say is called after rounds_good for shard i, which returned news. It says each pause, when it begins, and that a rate or
 * max-leased has stopped a take: once for each queue, because a queue that is always limited would be reported all the time. */
void withheld_say(struct withheld *l, const struct rounds *r, int i, unsigned news, const struct take *take);
void withheld_free(struct withheld *l);

#endif
