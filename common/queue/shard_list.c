#include "queue/shard_list.h"

#include <stdlib.h>
#include <string.h>

int shard_list_make(struct shard_list *l, struct queue *const *wholes, int count, struct err *e)
{
	struct shard_list made = {.wholes = wholes};
	size_t n = 0;

	for (int i = 0; i < count; i++)
		n += (size_t)wholes[i]->shards;
	made.all = calloc(n + 1, sizeof *made.all);
	made.whole = calloc(n + 1, sizeof *made.whole);
	made.first = calloc(n + 1, sizeof *made.first);
	if (!made.all || !made.whole || !made.first) {
		shard_list_free(&made);
		return err_memory(e);
	}
	for (int i = 0; i < count; i++) {
		for (int k = 0, first = made.count; k < wholes[i]->shards; k++) {
			made.all[made.count] = *shards_at(wholes[i], k);
			made.all[made.count].rest = NULL;
			made.whole[made.count] = i;
			made.first[made.count++] = first;
		}
	}
	shard_list_free(l);
	*l = made;
	return 0;
}

int shard_list_at(const struct shard_list *l, int k, unsigned turn)
{
	int first = l->first[k], n = l->all[k].shards;

	return first + (int)(((unsigned)(k - first) + turn) % (unsigned)n);
}

void shard_list_free(struct shard_list *l)
{
	free(l->all);
	free(l->whole);
	free(l->first);
	l->all = NULL;
	l->whole = l->first = NULL;
	l->count = 0;
}
