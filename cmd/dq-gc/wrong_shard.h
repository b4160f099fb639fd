/* wrong_shard: messages in another shard than the one that their ids determine, as keys that were
 * restored by hand may have them. Nobody can settle or name them. */
#ifndef DQ_WRONG_SHARD_H
#define DQ_WRONG_SHARD_H

#include "base/buf.h"
#include "queue/queue.h"

#define WRONG_SHARD "in the wrong shard" /* a fault of an audit; in lua/lib/wrong_shard.lua, too */

/* The ids of such messages, of one shard. Zero-initialise, wrong_shard_free at the end. */
struct wrong_shard {
	struct buf ids; /* each with its NUL */
};

/* wrong_shard_note: -1: out of memory. */
int wrong_shard_note(struct wrong_shard *a, const char *id, size_t len);

/* wrong_shard_move moves them from that shard to where they belong in whole, in the state that they
 * have, and forgets them. First it adds each there: if it is interrupted, the message is in both,
 * and the next time the old one goes. One whose id another message has there stays. */
int wrong_shard_move(struct wrong_shard *a, struct queue *whole, const struct queue *shard,
		     struct err *e);
void wrong_shard_free(struct wrong_shard *a);

#endif
