#include "ended_list.h"

#include <stdlib.h>
#include <string.h>

#include "base/dedup.h"
#include "base/name.h"
#include "message/walk.h"
#include "queue/shards.h"

#define ROOM ((size_t)2 * ENDED_LIST_MOST)

struct kept {
	char id[NAME_MAX_BYTES + 1];
	int64_t until;
	struct outcome outcome; /* its text is our own */
};

/* The newest ones so far. There is room for twice as many as are wanted,
 * so that it is sorted rarely. */
struct newest {
	struct kept *all;
	size_t count;
	const char *key; /* NULL: of all keys */
	bool failed; /* out of memory */
};

static int newer_first(const void *a, const void *b)
{
	const struct kept *one = a, *other = b;

	if (one->outcome.at != other->outcome.at)
		return one->outcome.at > other->outcome.at ? -1 : 1;
	return strcmp(one->id, other->id);
}

/* sort keeps the newest. SCAN may have returned one twice, and so may a walk that began anew. */
static void sort(struct newest *n)
{
	size_t kept = 0;

	qsort(n->all, n->count, sizeof *n->all, newer_first);
	for (size_t i = 0; i < n->count; i++) {
		bool again = kept > 0 && !newer_first(&n->all[kept - 1], &n->all[i]);
		if (again || kept == ENDED_LIST_MOST)
			free((char *)n->all[i].outcome.text);
		else
			n->all[kept++] = n->all[i];
	}
	n->count = kept;
}

static void clear(struct newest *n)
{
	while (n->count > 0)
		free((char *)n->all[--n->count].outcome.text);
}

static bool has_key(const char *id, const char *key)
{
	size_t len = name_key_len(id, strlen(id));

	return len == strlen(key) && !memcmp(id, key, len);
}

static int add(void *ctx, const char *id, int64_t until, const struct outcome *o)
{
	struct newest *n = ctx;
	struct kept *k;
	char *text;

	if (!o->what || (n->key && !has_key(id, n->key)))
		return 0;
	if (n->count == ROOM)
		sort(n);
	text = malloc(o->len + 1);
	if (!text) {
		n->failed = true;
		return -1;
	}
	memcpy(text, o->text, o->len);
	k = &n->all[n->count++];
	strcpy(k->id, id);
	k->until = until;
	k->outcome = *o;
	k->outcome.text = text;
	return 0;
}

static int read_shard(void *ctx, struct queue *shard, struct err *e)
{
	struct newest *n = ctx;

	/* it begins, or begins anew because the queue has another number of shards */
	if (!shard->shard)
		clear(n);
	return walk_reserved(shard, true, add, n, e);
}

/* tell: of an id that was put again, and ended, since the walk had read it, the newest end. */
static int tell(const struct newest *n,
		int (*each)(void *ctx, const char *id, const struct shown *s), void *ctx,
		struct err *e)
{
	struct shown s = {.exists = false, .now = -1};
	struct dedup seen = {NULL};
	int status = 0;

	for (size_t i = 0; i < n->count && status == 0; i++) {
		if (dedup_seen(&seen, n->all[i].id, strlen(n->all[i].id), "", 0))
			continue;
		s.reserved_until = n->all[i].until;
		s.outcome = n->all[i].outcome;
		if (each(ctx, n->all[i].id, &s) < 0)
			status = err_reported(e);
	}
	dedup_free(&seen);
	return status;
}

int ended_list(struct queue *q, const char *key,
	       int (*each)(void *ctx, const char *id, const struct shown *s),
	       void *ctx, struct err *e)
{
	struct newest n = {.all = malloc(ROOM * sizeof *n.all), .key = key};
	int status;

	if (!n.all)
		return err_memory(e);
	status = shards_each(q, read_shard, &n, e);
	if (n.failed)
		status = err_memory(e);
	sort(&n);
	if (status == 0)
		status = tell(&n, each, ctx, e);
	clear(&n);
	free(n.all);
	return status;
}
