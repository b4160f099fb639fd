/* follow: what the two ways of dq-promote -f share: watch.h and many_queues.h. */
#ifndef DQ_FOLLOW_H
#define DQ_FOLLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/dedup.h"
#include "queue/queue_set.h"
#include "waiting/rounds.h"
#include "tool/reconnect.h"

/* The tool waits for at most so many queues or shards: BZPOPMIN needs a few us for each. */
#define FOLLOW_MAX 1000

struct follow {
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
	const char *object;  /* of the present exchange: the name of a queue, or the list of all */
	struct queue_set wholes;
	struct rounds rounds; /* of their shards; none yet: rounds.each is NULL */
	bool shards_changed; /* a queue has another number of shards than was
	                      * thought: gather again */
	bool known;          /* the tool has checked whether the named queues exist */
	enum status skipped; /* not DQ_DONE: the list, or many queues,
	                      * could not be asked in the last round */
	enum status status;  /* the worst status of single queues */
	bool too_many;       /* there are more queues than it can wait for: many_queues.h */
	struct dedup reported; /* which of those were reported as not promoted */
	char registry[NAME_KEY_MAX], newcomers[NAME_KEY_MAX];
};

/* follow_left: how many more messages may be moved; at most QUEUE_BATCH if there is no limit. */
int64_t follow_left(const struct follow *f);

/* follow_is_over: is there a reason to end? */
bool follow_is_over(const struct follow *f, int64_t until_us);

/* follow_spares: does the error concern one queue only? */
bool follow_spares(const struct follow *f, const struct err *e);

/* follow_promote is a call for that shard, or the end of one that was begun for it (NULL: none),
 * and counts what it moved. */
int follow_promote(struct follow *f, struct queue *shard, struct call *begun, struct held held,
		   struct queue_moved *moved, struct err *e);

#endif
