/* astray: messages in another shard than the one that their ids determine, as keys that were restored by hand may have them. Nobody can
 * settle or name them. */
#ifndef DQ_ASTRAY_H
#define DQ_ASTRAY_H

#include "base/buf.h"
#include "queue/queue.h"

#define ASTRAY "in the wrong shard" /* a fault of an audit; lua/lib/astray.lua mirrors it */

/* The ids of such messages, of one shard. Zero-initialise, astray_free at the end. */
struct astray {
	struct buf ids; /* each with its NUL */
};

/* astray_note: -1: out of memory. */
int astray_note(struct astray *a, const char *id, size_t len);

/* astray_move moves them from that shard to where they belong in whole, in the state that they have, and forgets them. First it adds each
 * there: if it is interrupted, the message is in both, and the next time the old one goes. One whose id another message has there stays. */
int astray_move(struct astray *a, struct queue *whole, const struct queue *shard, struct err *e);
void astray_free(struct astray *a);

#endif
