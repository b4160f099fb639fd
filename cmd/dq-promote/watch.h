/* watch: promotes some queues, or all there are, for ever: dq-promote -f. Sleeps until a mark or a due time says there is something
 * to move; a queue that is new is found within seconds. */
#ifndef DQ_WATCH_H
#define DQ_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "queue/queue_set.h"
#include "queue/waiter.h"
#include "tool/link.h"

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
	int count;
	bool found;          /* queues and waiter are made */
	bool known;          /* whether the named queues exist was asked for */
	enum status away;    /* not DQ_DONE: the last round could not ask all */
	enum status status;  /* the worst of what single queues said */
	char registry[NAME_KEY_MAX], newcomers[NAME_KEY_MAX];
};

/* watch_run returns why it ended: DQ_DONE (lasts or limit reached), DQ_STOPPED, or what will not pass by itself. */
enum status watch_run(struct watch *w);

#endif
