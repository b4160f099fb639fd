/* redrive: messages made ready by hand: delayed ones before their time, dead ones back with all their tries, or leased ones whose
 * consumer has died. */
#ifndef DQ_REDRIVE_H
#define DQ_REDRIVE_H

#include "tool/apply.h"

struct redrive {
	bool dead, release; /* the dead, or the leased, not the delayed */
	bool dry;           /* these three as in apply_conf */
	int64_t limit, rate;
	bool verbose;       /* speak of those that are ready already */
	bool quiet;         /* do not speak of those that could not be moved */
	long long died;     /* of the leased: out of tries */
	struct apply apply; /* apply_add and the others work on it */
};

/* redrive_init makes apply; the rest is set before. apply_free ends it. */
void redrive_init(struct redrive *r, struct conn *conn);

/* redrive_queue brings all back that are dead by now: what dies again meanwhile stays dead, or there would be no end.
 * As apply_state. */
int redrive_queue(struct redrive *r, struct queue *q);

#endif
