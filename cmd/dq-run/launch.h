/* launch: starts a job for each message of a take, and gives back messages without a job. */
#ifndef DQ_LAUNCH_H
#define DQ_LAUNCH_H

#include "pool.h"
#include "message/take.h"
#include "shutdown.h"
#include "tool/environ.h"
#include "worker_conf.h"

struct launch {
	const struct worker_conf *conf; /* this and the next two are borrowed */
	struct pool *pool;
	struct shutdown *shutdown;
	struct environ_base environment;
	size_t started; /* jobs */
	bool ran;       /* a command was started; a job whose payload was refused had none */
	int64_t since;  /* clock_ms: no command could be started since then;
	                 * 0 = the last one was started */
	int64_t failed_at; /* clock_ms of the last one that could not */
	/* while there is no room for as many as -j: */
	int64_t wider_at; /* clock_ms: then more are tried */
	int64_t pause;    /* ms between such attempts, longer after each that failed */
	bool widened;     /* since the last failure they were */
	bool full;        /* it was reported */
};

/* -1: out of memory */
int launch_init(struct launch *l, const struct worker_conf *conf, struct pool *pool,
		struct shutdown *shutdown);
void launch_free(struct launch *l);

/* launch_all starts the command for each delivery of t, taken from q by a request sent at `asked`
 * (clock_ms). It gives back a delivery without a free job: a verdict that was begun is not settled
 * yet, so that job is not free. Returns 0; LAUNCH_LATER if the command cannot be started now, but
 * perhaps soon; LAUNCH_FULL if there is no room for more than run now: the pool is narrower then;
 * or, if it cannot be started, the status with which the worker ends. */
enum { LAUNCH_LATER = -1, LAUNCH_FULL = -2 };
int launch_all(struct launch *l, struct take *t, struct queue *q, int64_t asked);

/* launch_widen tries, from time to time, whether more commands have room by now, if as many run as
 * had. Returns clock_ms of the next attempt; INT64_MAX = none. */
int64_t launch_widen(struct launch *l);

/* launch_return gives back the deliveries from..count-1, which have no job. */
void launch_return(const struct launch *l, struct take *t, struct queue *q, size_t from);

#endif
