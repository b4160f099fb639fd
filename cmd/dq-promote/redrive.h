/* redrive: messages that an operator makes ready: delayed ones before their due time, dead ones
 * with all their tries, leased ones whose consumer has died. */
#ifndef DQ_REDRIVE_H
#define DQ_REDRIVE_H

#include "tool/apply.h"

struct redrive {
	bool dead, release; /* dead: dead messages; release: leased ones; neither: delayed ones */
	const char *holder; /* with release: only messages that it has; NULL: all */
	bool dry;           /* dry, verbose and quiet are as in apply_conf */
	int64_t limit, rate;
	bool verbose;       /* report messages that are ready already */
	bool quiet;         /* do not report messages that could not be moved */
	long long died;     /* leased messages that died: out of tries */
	struct apply apply; /* apply_add and its companions work on it */
};

/* redrive_init makes apply; the caller has set the other members. apply_free ends it. */
void redrive_init(struct redrive *r, struct exchange *x);

/* redrive_queue redrives all messages that are dead at the start. A message that dies meanwhile
 * stays dead, because the call might not end otherwise. With release: all messages of the holder.
 * Returns as apply_all. */
int redrive_queue(struct redrive *r, struct queue *q);

#endif
