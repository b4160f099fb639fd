/* shard_list: all shards of some queues in one list, for tools that visit all of them in turn. */
#ifndef DQ_SHARD_LIST_H
#define DQ_SHARD_LIST_H

#include "queue/shards.h"

/* Zero-initialise; shard_list_free at the end, which leaves the wholes. */
struct shard_list {
	struct queue *const *wholes; /* borrowed, and each of them */
	struct queue *all;    /* the shards; each has no rest */
	int *whole;           /* for each shard: the index of its whole */
	int *first;           /* for each shard: the index of the first shard of its whole */
	int count;
};

/* shard_list_make makes the list of the shards that are known now, and replaces an old one. -1: out
 * of memory; the list is unchanged. */
int shard_list_make(struct shard_list *l, struct queue *const *wholes, int count, struct err *e);

/* shard_list_at: the index of the k-th shard, if the shards of its queue begin with number `turn`,
 * counted round and round. */
int shard_list_at(const struct shard_list *l, int k, unsigned turn);

void shard_list_free(struct shard_list *l);

#endif
