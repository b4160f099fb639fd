/* watch_state: what the two ways of dq-promote -f share: watch.h and roam.h. */
#ifndef DQ_WATCH_STATE_H
#define DQ_WATCH_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/dedup.h"
#include "queue/queue_set.h"
#include "queue/waiter.h"
#include "tool/reconnect.h"

/* So many queues, or shards of queues, it waits for: BZPOPMIN takes a few us for each. */
#define WATCH_MAX 1000

struct watch {
	/* set by the caller */
	struct conn *conn;
	const char *prefix;
	char *const *names;  /* NULL-ended; empty = all */
	int64_t lasts;       /* ms, -1 = for ever */
	bool quiet;          /* of a connection that comes and goes, and of queues that do not exist yet */
	int64_t limit;       /* of messages promoted, -1 = none */
	/* results */
	long long promoted, back, died, expired;
	/* private */
	struct session session;
	struct waiter waiter;
	const char *object;  /* of the present exchange: a queue, or the list of all */
	struct queue_set wholes;
	struct queue *queues; /* each a shard, and for itself */
	bool turned;         /* a queue has another number of shards than was thought: gather anew */
	bool *broken;        /* those of which it was said that they cannot be promoted */
	int count;           /* at most WATCH_MAX of all there are */
	bool found;          /* queues and waiter are made */
	bool known;          /* whether the named queues exist was asked for */
	enum status away;    /* not DQ_DONE: the last round could not ask all */
	enum status status;  /* the worst of what single queues said */
	bool roams;          /* there are more queues than it can wait for (roam.h) */
	struct dedup said;   /* of which of those it was said that they cannot be promoted */
	char registry[NAME_KEY_MAX], newcomers[NAME_KEY_MAX];
};

/* watch_left: how many messages may be moved yet, at most QUEUE_BATCH if there is no limit. watch_is_over: is there any reason to end? */
int64_t watch_left(const struct watch *w);
bool watch_is_over(const struct watch *w, int64_t until_us);

/* Of an error: watch_learns: has the queue of the i-th shard another number of them than was thought? If that cannot be known, e is why.
 * watch_away: cannot its node, one of a cluster, be asked now? Then the others can. watch_spares: is it an error of one queue only? */
bool watch_learns(struct watch *w, int i, struct err *e);
bool watch_away(struct watch *w, int i, const struct err *e);
bool watch_spares(const struct watch *w, const struct err *e);

#endif
