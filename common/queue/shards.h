/* shards: a queue may be spread over several shards. Each has keys, a slot and a server of its own. Shard 0 has the keys of a queue that
 * is not spread. The stat hash of each shard has the number of shards; that of shard 0 decides. A tool first assumes one shard. A script
 * that was called with another number changes nothing and reports that (FATE_SHARDS); the tool then learns the number and calls again. So
 * a queue of one shard costs nothing more. The id of a message determines its shard. */
#ifndef DQ_SHARDS_H
#define DQ_SHARDS_H

#include "queue/queue.h"

#define SHARDS_MAX 64 /* lua/shards.lua mirrors it */

/* shards_numbers: the numbers in the tags of count shards; that of shard 0 is 0, it has none. Shard i is in the i-th part of all slots, of
 * count equal parts, counted from that of shard 0, and its number the first one from 1 on with which it is there: so they are spread
 * evenly over the nodes of a cluster. */
void shards_numbers(const char *queue, int count, unsigned numbers[SHARDS_MAX]);

/* shards_of: the number of the shard that has the message: the CRC16 of its id, modulo count. */
int shards_of(int count, const char *id, size_t len);

/* shards_at: shard i of the whole queue. shards_find: the shard with that message. Both return q itself if q is that shard. */
struct queue *shards_at(struct queue *q, int i);
struct queue *shards_find(struct queue *q, const char *id, size_t len);

/* shards_set makes q the whole of count shards. -1: out of memory. Pointers to its previous shards are void. */
int shards_set(struct queue *q, int count, struct err *e);

/* shards_ask asks shard 0, and makes q that whole; while the queue is being made it waits for that, but not for long. shards_learn does so
 * after FATE_SHARDS. -1: an error, also if shard 0 has the number that q has already: then the shard that said otherwise is not complete.
 * FATE_SHARDS: an error of the queue, not of its connection, which has nothing in flight. */
int shards_ask(struct queue *q, struct err *e);
int shards_learn(struct queue *q, struct err *e);

/* shards_each calls each for every shard of q until one call returns other than 0, and returns that. After FATE_SHARDS it learns the
 * number and starts again with shard 0. */
int shards_each(struct queue *q, int (*each)(void *ctx, struct queue *shard, struct err *e), void *ctx, struct err *e);

/* shards_together is shards_each for calls that are the same for each shard: make makes the first one (ahead.h), and each, which makes it
 * by sent_run, gets a reply that is there already. So it takes as long as the slowest node, for every AHEAD_MAX shards. */
int shards_together(struct queue *q, void (*make)(void *ctx, struct call *calls, struct queue *shard),
		    int (*each)(void *ctx, struct queue *shard, struct err *e), void *ctx, struct err *e);

/* shards_says reads what a shard says of their number, as it is: lua/lib/shards.lua. */
int shards_says(struct queue *shard, char says[16], struct err *e);

/* shards_change does one step of a birth or a removal, on one shard: lua/shards.lua. *done: it says `to` now; says is what it says,
 * generation as of forget, messages how many it had. */
struct shards_said {
	bool done;
	int64_t messages;
	char says[16], generation[NAME_TOKEN_MAX + 1];
};
int shards_change(struct queue *shard, const char *from, const char *to, struct shards_said *out, struct err *e);

/* shards_bear makes q, which has no messages, a queue of count shards; again, it completes what was begun. Several may do that at once, and
 * shards_dissolve, too: each begins anew if another was faster. DQ_NO: it has messages, or another number of shards. */
int shards_bear(struct queue *q, int count, struct err *e);

/* shards_recover makes q what it says that it is, to be removed. *partly: its birth or its removal was interrupted, or is under way; then
 * only shards_dissolve can do anything with it. */
int shards_recover(struct queue *q, bool *partly, struct err *e);

/* shards_dissolve removes q, a whole of several shards, with the messages that it still has. *gone: it was there, or another client has
 * removed it meanwhile; generation is for unlist, "" = it has nothing to unlist; messages is how many it removed. */
struct shards_gone {
	bool gone;
	int64_t messages;
	char generation[NAME_TOKEN_MAX + 1];
};
int shards_dissolve(struct queue *q, struct shards_gone *out, struct err *e);

#endif
