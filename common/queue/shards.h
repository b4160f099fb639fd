/* shards: a queue may be spread over several shards, each with keys, a slot and a server of its own. Shard 0 has the keys of a queue that
 * is not spread. How many there are is in the stat hash of each, and shard 0 has the last word. A tool begins with one; a script that was
 * called with another number changes nothing and says so (FATE_SHARDS), and the tool learns it and calls again. So a queue of one shard
 * costs nothing more. Which shard has a message follows from its id. */
#ifndef DQ_SHARDS_H
#define DQ_SHARDS_H

#include "queue/queue.h"

#define SHARDS_MAX 64 /* lua/shards.lua mirrors it */

/* shards_numbers: the numbers in the tags of count shards; that of shard 0 is 0, it has none. Shard i is in the i-th part of all slots, of
 * count equal parts, counted from that of shard 0, and its number the first one from 1 on with which it is there: so they are spread
 * evenly over the nodes of a cluster. */
void shards_numbers(const char *queue, int count, unsigned numbers[SHARDS_MAX]);

/* shards_of: which of count shards has the message: the CRC16 of its id, modulo count. */
int shards_of(int count, const char *id, size_t len);

/* shards_at: the i-th shard of the whole queue. shards_find: the one with that message. Both return q itself where it stands for itself. */
struct queue *shards_at(struct queue *q, int i);
struct queue *shards_find(struct queue *q, const char *id, size_t len);

/* shards_set makes q the whole of so many shards; -1: memory. Pointers to the shards that it had are void. */
int shards_set(struct queue *q, int count, struct err *e);

/* shards_ask asks shard 0, and makes q that whole. shards_learn does so after FATE_SHARDS. -1: an error, also if shard 0 has the number
 * that q has already: then the shard that said otherwise is not complete. FATE_SHARDS: an error of the queue, not of its connection,
 * which has nothing in flight. */
int shards_ask(struct queue *q, struct err *e);
int shards_learn(struct queue *q, struct err *e);

/* shards_each calls each with every shard of q until one returns other than 0, and returns that. With FATE_SHARDS it learns the number and
 * begins anew, with shard 0. */
int shards_each(struct queue *q, int (*each)(void *ctx, struct queue *shard, struct err *e), void *ctx, struct err *e);

/* shards_change does one step of a birth or a removal, on one shard: lua/shards.lua. *done: it says `to` now; says is what it says, and
 * generation as of forget. */
struct shards_said {
	bool done;
	int64_t messages;
	char says[16], generation[NAME_TOKEN_MAX + 1];
};
int shards_change(struct queue *shard, const char *from, const char *to, struct shards_said *out, struct err *e);

/* shards_bear makes q, which has no messages, a queue of count shards; again, it completes what was begun. DQ_NO: it has messages, or
 * another number of shards. shards_recover makes q what it says that it is, to be removed, and calls off a removal that was interrupted.
 * shards_dissolve removes q, a whole of several shards, if it has no messages (*gone), with a generation for
 * unlist. */
int shards_bear(struct queue *q, int count, struct err *e);
int shards_recover(struct queue *q, struct err *e);
int shards_dissolve(struct queue *q, bool *gone, char generation[NAME_TOKEN_MAX + 1], struct err *e);

#endif
