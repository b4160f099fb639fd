/* intake: takes as many messages as jobs are free, starts a job for each, and waits for more. */
#ifndef DQ_INTAKE_H
#define DQ_INTAKE_H

#include "launch.h"
#include "pool.h"
#include "message/take.h"
#include "tool/withheld.h"
#include "waiting/rounds.h"
#include "shutdown.h"
#include "worker_conf.h"

struct intake {
	const struct worker_conf *conf; /* this and the next two are borrowed */
	struct pool *pool;
	struct shutdown *shutdown;
	struct launch launch;
	struct take take;
	struct rounds rounds; /* of the shards of all queues */
	struct withheld withheld;
	bool shards_changed; /* a queue has another number of shards than was thought */
	bool regrouped; /* the shards were made anew; the owner clears it */
	bool waiting;  /* jobs stayed free: rounds_time says when another call is useful */
	bool finished; /* take no more: --once and its kind, or the command cannot be started */
	int64_t again_at; /* clock_ms: no call comes before, and no mark is read; 0 = all is well */
	/* clock_ms: since then a round could not ask all; 0: all were asked */
	int64_t missed_since;
	bool unsure;   /* a reply was lost: messages that it leased are redelivered when
	                * their leases end */
	int status;    /* if not 0: the status with which the worker ends */
};

/* -1: out of memory */
int intake_init(struct intake *in, const struct worker_conf *conf, struct pool *pool,
		struct shutdown *shutdown);
void intake_free(struct intake *in);

/* intake_run takes messages if jobs are free and a call is useful. If no job is free, or the worker
 * was stopped, it passes its marks on to the waiting tools. */
void intake_run(struct intake *in, bool stopped);

/* intake_drain, with --drain, ends the intake if no message is delayed, ready or leased. */
void intake_drain(struct intake *in);

/* intake_end ends the intake and the worker, with that status. */
void intake_end(struct intake *in, int status);

/* intake_time: when (clock_us) the next call, or attempt to connect, is due. */
int64_t intake_time(const struct intake *in);

/* intake_polls lists the descriptors to poll, at most WAITER_POLLS, and returns how many. */
nfds_t intake_polls(const struct intake *in, struct pollfd *polls);

/* intake_rest passes all marks on, before the worker ends. */
void intake_rest(struct intake *in);

#endif
