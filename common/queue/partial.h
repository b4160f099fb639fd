/* partial: queues that cannot be served now, because only a part of their shards is created,
 * or removed; and when to try each again. The other queues of the tool, and its connections,
 * are not concerned. */
#ifndef DQ_PARTIAL_H
#define DQ_PARTIAL_H

#include "base/reasons.h"
#include "queue/shard_list.h"

struct partial_queue {
	int64_t pause;    /* ms; 0: it is served */
	int64_t retry_at; /* clock_ms */
	int shard;        /* the one that failed; -1: any may show that it is served again */
	struct reasons reasons; /* reported */
};

/* For each whole of a list. Zero-initialise; partial_free at the end. */
struct partial {
	struct partial_queue *all;
	int count;
};

int partial_init(struct partial *u, int wholes, struct err *e);
void partial_free(struct partial *u);

/* partial_learn: call it after a call for element i of the list failed with FATE_SHARDS. 0: its
 * whole has the right number now; call shard_list_make next. -1 with FATE_SHARDS: the queue is
 * partial; its next call is due after a pause, which grows from 50 ms to 1 s. -1 with another
 * fate: another error. */
int partial_learn(struct partial *u, const struct shard_list *l, int i, struct err *e);

/* partial_is: was the last call for this queue a failure of this kind? */
bool partial_is(const struct partial *u, int whole);

/* partial_waits: is its next call not due yet? */
bool partial_waits(const struct partial *u, int whole);

/* partial_time: clock_ms of the next call that is due for one of them;
 * INT64_MAX: all are served. */
int64_t partial_time(const struct partial *u);

/* partial_news: must the tool report now that the queue is not served? True once
 * for each reason. */
bool partial_news(struct partial *u, int whole, const struct err *e);

/* partial_ended: call it after element i was served; must the tool report this? */
bool partial_ended(struct partial *u, const struct shard_list *l, int i);

#endif
