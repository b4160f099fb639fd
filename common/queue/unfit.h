/* unfit: queues that cannot be served now, because their shards are half made or half removed, and when to try each again. The other queues
 * of the tool, and its connections, are as they should be. */
#ifndef DQ_UNFIT_H
#define DQ_UNFIT_H

#include "queue/shard_list.h"

struct unfit_queue {
	int64_t pause;    /* ms; 0: it is served */
	int64_t retry_at; /* clock_ms */
	int shard;        /* the one that failed; -1: any may show that it is served again */
	bool said;
	struct err why;
};

/* For each whole of a list. Zero-initialise; unfit_free at the end. */
struct unfit {
	struct unfit_queue *all;
	int count;
};

int unfit_init(struct unfit *u, int wholes, struct err *e);
void unfit_free(struct unfit *u);

/* unfit_learn: a call for element i of the list failed with FATE_SHARDS. 0: its whole has the right number now; shard_list_make is to
 * follow. -1 with FATE_SHARDS: the queue is unfit; its next call is due after 50 ms at first and at most 1 s. Or another error. */
int unfit_learn(struct unfit *u, const struct shard_list *l, int i, struct err *e);

/* unfit_is: is it unfit, as far as is known? unfit_waits: may no call for it come yet? unfit_time: clock_ms of the first call that is due
 * for one of them; INT64_MAX: all are served. */
bool unfit_is(const struct unfit *u, int whole);
bool unfit_waits(const struct unfit *u, int whole);
int64_t unfit_time(const struct unfit *u);

/* unfit_news: is it to be reported now that it is unfit? Only once is it. unfit_ended: element i was served; is that to be reported? */
bool unfit_news(struct unfit *u, int whole);
bool unfit_ended(struct unfit *u, const struct shard_list *l, int i);

#endif
