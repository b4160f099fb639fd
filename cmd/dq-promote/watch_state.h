/* watch_state: the state that the two ways of dq-promote -f share: watch.h and many_queues.h. */
#ifndef DQ_WATCH_STATE_H
#define DQ_WATCH_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/dedup.h"
#include "queue/queue_set.h"
#include "waiting/waiter.h"
#include "tool/reconnect.h"

/* The tool waits for at most so many queues or shards: BZPOPMIN needs a few us for each. */
#define WATCH_MAX 1000

struct watch {
	/* set by the caller */
	struct exchange *x;
	const char *prefix;
	char *const *names;  /* NULL-ended; empty = all */
	int64_t lasts;       /* ms, -1 = forever */
	bool quiet;          /* do not report lost connections, nor queues that do not exist yet */
	int64_t limit;       /* of messages to promote, -1 = none */
	/* results */
	long long promoted, back, died, expired;
	/* private */
	struct waiter waiter;
	const char *object;  /* of the present exchange: the name of a queue, or the list of all */
	struct queue_set wholes;
	struct queue *queues; /* each is one shard */
	bool shards_changed; /* a queue has another number of shards than was thought: gather again */
	bool *broken;        /* queues that were reported as not promoted */
	int count;           /* at most WATCH_MAX */
	bool found;          /* queues and waiter are made */
	bool known;          /* the tool has checked whether the named queues exist */
	enum status skipped; /* not DQ_DONE: the last round could not ask all queues */
	enum status status;  /* the worst status of single queues */
	bool too_many;       /* there are more queues than it can wait for: many_queues.h */
	struct dedup reported; /* which of those were reported as not promoted */
	char registry[NAME_KEY_MAX], newcomers[NAME_KEY_MAX];
};

/* watch_left: how many more messages may be moved; at most QUEUE_BATCH if there is no limit. watch_is_over: is there a reason to end? */
int64_t watch_left(const struct watch *w);
bool watch_is_over(const struct watch *w, int64_t until_us);

/* They judge an error. watch_learns: has the queue of the i-th shard another number of shards than was thought? If it cannot find out, e
 * has the reason. watch_away: is the queue's node, one of a cluster, unreachable now? The other nodes may be reachable. watch_spares: does
 * the error concern one queue only? */
bool watch_learns(struct watch *w, int i, struct err *e);
bool watch_away(struct watch *w, int i, const struct err *e);
bool watch_spares(const struct watch *w, const struct err *e);

#endif
