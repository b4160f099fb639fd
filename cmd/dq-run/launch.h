/* launch: starts a job for each message that a take brought, and gives back those that get none. */
#ifndef DQ_LAUNCH_H
#define DQ_LAUNCH_H

#include "pool.h"
#include "queue/take.h"
#include "shutdown.h"
#include "tool/environ.h"
#include "worker_conf.h"

struct launch {
	const struct worker_conf *conf; /* this and the next two are borrowed */
	struct pool *pool;
	struct shutdown *shutdown;
	struct environ_base environment;
	size_t started; /* jobs */
};

int launch_init(struct launch *l, const struct worker_conf *conf, struct pool *pool, struct shutdown *shutdown); /* -1: memory */
void launch_free(struct launch *l);

/* launch_all starts the command for each delivery of t, from q, asked for at `asked` (clock_ms). What finds no free job, since a verdict
 * that was sent ahead was refused, is given back. 0; or, if the command cannot be run, the status with which the worker ends. */
int launch_all(struct launch *l, struct take *t, struct queue *q, int64_t asked);

/* launch_return gives back deliveries from..count-1: nobody works on them. */
void launch_return(const struct launch *l, struct take *t, struct queue *q, size_t from);

#endif
