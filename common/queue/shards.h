/* shards: a queue may be spread over several shards. Each has keys, a slot and a server of its
 * own. Shard 0 has the keys of a queue that is not spread. The stat hash of each shard has the
 * number of shards; that of shard 0 decides. A tool first assumes one shard. A script that was
 * called with another number changes nothing and reports that (FATE_SHARDS); the tool then learns
 * the number and calls again. So a queue of one shard costs nothing more. The id of a message
 * determines its shard. */
#ifndef DQ_SHARDS_H
#define DQ_SHARDS_H

#include "queue/queue.h"

#define SHARDS_MAX 64 /* in lua/shards.lua, too */

/* shards_numbers: the numbers in the tags of count shards; the tag of shard 0 has none, so its
 * number is 0. All slots are divided into count equal parts. Shard i is in the i-th part after that
 * of shard 0. Its number is the smallest one, from 1 on, whose tag is in that part. So the shards
 * are spread evenly over the nodes of a cluster. */
void shards_numbers(const char *queue, int count, unsigned numbers[SHARDS_MAX]);

/* shards_of: the number of the shard that has the message: the CRC16 of its id, modulo count; of
 * its key, if it has one, so that all messages of a key are in one shard. */
int shards_of(int count, const char *id, size_t len);

/* shards_at returns shard i of the whole queue: q itself if q is that shard. */
struct queue *shards_at(struct queue *q, int i);

/* shards_find returns the shard with that message, as shards_at. */
struct queue *shards_find(struct queue *q, const char *id, size_t len);

/* shards_set makes q the whole of count shards. -1: out of memory. Pointers to its previous shards
 * stay valid; they have their old number, so that scripts refuse their calls. */
int shards_set(struct queue *q, int count, struct err *e);

/* shards_ask reads the number from shard 0, and makes q a whole of so many shards. While the queue
 * is being created, it waits for the end, for a short time. If an error has FATE_SHARDS, the queue
 * has failed; its connection is good, and nothing is in flight. */
int shards_ask(struct queue *q, struct err *e);

/* shards_learn does the same after FATE_SHARDS. If shard 0 has the known number, the other shards
 * are asked. One that differs: failure. None: the queue was made again meanwhile; call again. It
 * fails, too, if it is called over and over. */
int shards_learn(struct queue *q, struct err *e);

/* shards_each calls each for every shard of q until one call returns other than 0, and returns
 * that. After FATE_SHARDS it learns the number and starts again with shard 0. */
int shards_each(struct queue *q, int (*each)(void *ctx, struct queue *shard, struct err *e),
		void *ctx, struct err *e);

/* shards_together is shards_each for one call, the same for each shard: begin begins it, and end,
 * which is called for the same shards in the same order, waits for it. So it takes as long as the
 * slowest node, for every QUEUE_TOGETHER shards. begun: that of q, if it was begun before and q has
 * one shard; else NULL. */
int shards_together(struct queue *q, struct call *begun,
		    void (*begin)(void *ctx, struct call *call, struct queue *shard),
		    int (*end)(void *ctx, struct queue *shard, struct call *call, struct err *e),
		    void *ctx, struct err *e);

/* shards_field reads the field shards of a shard, unchanged: lua/lib/shards.lua. */
int shards_field(struct queue *shard, char field[16], struct err *e);

/* shards_judge: -1 and FATE_SHARDS if q, whose shard 0 has that field,
 * is being created or removed. */
int shards_judge(const struct queue *q, const char *field, struct err *e);

/* shards_change does one step of a creation or a removal, on one shard: lua/shards.lua. done:
 * its field shards is `to` now; field: it is this now; generation: for unlist; messages: how
 * many it had. */
struct shards_reply {
	bool done;
	int64_t messages;
	char field[16], generation[NAME_TOKEN_MAX + 1];
};
int shards_change(struct queue *shard, const char *from, const char *to, struct shards_reply *out,
		  struct err *e);

/* shards_create makes q, which has no messages, a queue of count shards, or completes an
 * interrupted call. Several clients may do that, and shards_remove, at the same time: each starts
 * again if another one was faster. DQ_NO: q has messages or another number of shards. limits: those
 * that are to hold then in place of its own (not the pause); NULL: none. If q must be created they
 * are set before it has its shards; if not, the caller sets them. DQ_USAGE: one that holds then
 * cannot be divided. */
struct settings_wanted;
int shards_create(struct queue *q, int count, const struct settings_wanted *limits, struct err *e);

/* shards_ask_any gives q the number of shards in its field, so that it can be removed. *partly: its
 * creation or removal was interrupted, or is not complete yet; then only shards_remove can do
 * anything with it. */
int shards_ask_any(struct queue *q, bool *partly, struct err *e);

/* shards_remove removes q, a whole of several shards, with the messages that it still has. gone: it
 * does not exist any more; another client may have removed it. generation: for unlist, "" = there
 * is nothing to unlist. messages: how many were removed. */
struct shards_removed {
	bool gone;
	int64_t messages;
	char generation[NAME_TOKEN_MAX + 1];
};
int shards_remove(struct queue *q, struct shards_removed *out, struct err *e);

#endif
