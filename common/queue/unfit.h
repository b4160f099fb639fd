/* unfit: queues that cannot be served now, because only a part of their shards is created or removed; and when to try each again. The other
 * queues of the tool, and its connections, are not concerned. */
#ifndef DQ_UNFIT_H
#define DQ_UNFIT_H

#include "base/reasons.h"
#include "queue/shard_list.h"

struct unfit_queue {
	int64_t pause;    /* ms; 0: it is served */
	int64_t retry_at; /* clock_ms */
	int shard;        /* the one that failed; -1: any may show that it is served again */
	struct reasons reasons; /* reported */
};

/* For each whole of a list. Zero-initialise; unfit_free at the end. */
struct unfit {
	struct unfit_queue *all;
	int count;
};

int unfit_init(struct unfit *u, int wholes, struct err *e);
void unfit_free(struct unfit *u);

/* unfit_learn: call it after a call for element i of the list failed with FATE_SHARDS. 0: its whole has the right number now; call
 * shard_list_make next. -1 with FATE_SHARDS: the queue is unfit; its next call is due after a pause, which grows from 50 ms to 1 s. -1 with
 * another fate: another error. */
int unfit_learn(struct unfit *u, const struct shard_list *l, int i, struct err *e);

/* unfit_is: was the last call for this queue a failure of this kind? unfit_waits: is its next call not due yet? unfit_time: clock_ms of the
 * next call that is due for one of them; INT64_MAX: all are served. */
bool unfit_is(const struct unfit *u, int whole);
bool unfit_waits(const struct unfit *u, int whole);
int64_t unfit_time(const struct unfit *u);

/* unfit_news: must the tool report now that the queue is unfit? True once for each reason. unfit_ended: call it after element i was
 * served; must the tool report this? */
bool unfit_news(struct unfit *u, int whole, const struct err *e);
bool unfit_ended(struct unfit *u, const struct shard_list *l, int i);

#endif
