/* shard_list: the shards of some queues, one after the other, for tools that go round them all. */
#ifndef DQ_SHARD_LIST_H
#define DQ_SHARD_LIST_H

#include "queue/shards.h"

/* Zero-initialise; shard_list_free at the end, which leaves the wholes. */
struct shard_list {
	struct queue *wholes; /* borrowed */
	struct queue *all;    /* each stands for itself */
	int *whole;           /* which of the wholes each belongs to */
	int *first;           /* which is the first of the same whole */
	int count;
	unsigned turn;        /* the owner's: with which shard of each queue a round begins */
};

/* shard_list_make makes it, anew if it is one, with the shards that are known by now. -1: memory; it is as it was. */
int shard_list_make(struct shard_list *l, struct queue *wholes, int count, struct err *e);

/* shard_list_at: element k of a round: the queues in their order, and of each queue its shards from l->turn on. So each shard is sometimes
 * first. */
int shard_list_at(const struct shard_list *l, int k);

/* shard_list_all: does each of its shards have that flag, of the queue with element i? There is a flag for each element. */
bool shard_list_all(const struct shard_list *l, const bool *flags, int i);

void shard_list_free(struct shard_list *l);

#endif
