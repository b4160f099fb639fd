/* intake: what a worker takes: it takes as many messages as jobs are free, starts a job for each, and waits for more. */
#ifndef DQ_INTAKE_H
#define DQ_INTAKE_H

#include "launch.h"
#include "pool.h"
#include "queue/shard_list.h"
#include "queue/take.h"
#include "queue/waiter.h"
#include "shutdown.h"
#include "worker_conf.h"

struct intake {
	const struct worker_conf *conf; /* this and the next three are borrowed */
	struct pool *pool;
	struct session *session;        /* of the connection for scripts */
	struct shutdown *shutdown;
	struct launch launch;
	struct take take;
	struct shard_list list; /* of the queues */
	int turned;     /* of these, one whose queue has another number of shards; -1: none */
	bool regrouped; /* they were made anew: the owner's */
	struct waiter waiter;
	bool waiting;  /* jobs stayed free: the waiter says when another call is useful */
	bool *paused;  /* the queues that were paused when last seen */
	bool *known;   /* those of which we know whether they exist, or have asked */
	bool finished; /* take no more: --once and its kind, or not runnable */
	int64_t again_at; /* clock_ms: leases could not be confirmed; no other is taken before; 0 = all is well */
	bool away;     /* the last round could not ask all queues, since a node of the cluster is away: */
	int64_t away_since; /* clock_ms; 0: it is not */
	bool unsure;   /* a reply was lost: messages that it leased are redelivered when their leases end */
	int status;    /* if not 0, what ends the worker */
};

int intake_init(struct intake *in, const struct worker_conf *conf, struct pool *pool, struct session *session,
		struct shutdown *shutdown); /* -1: memory */
void intake_free(struct intake *in);

/* intake_prepare makes what there is for each shard of in->list, anew when that was. */
int intake_prepare(struct intake *in, struct err *e);

/* intake_run takes when there is room and reason. Without room, or when the worker was stopped, it returns its marks to the tools that
 * wait. */
void intake_run(struct intake *in, bool stopped);

/* intake_drain ends the intake, with --drain, if nothing is delayed, ready or leased. intake_end ends it, and the worker, with that
 * status. */
void intake_drain(struct intake *in);
void intake_end(struct intake *in, int status);

/* intake_time: when (clock_us) the next call is due; connect_at: clock_ms of the next try to connect. intake_polls lists what to poll
 * for that, at most WAITER_POLLS, and returns how many. */
int64_t intake_time(const struct intake *in, int64_t connect_at);
nfds_t intake_polls(const struct intake *in, struct pollfd *polls);

/* intake_rest returns all marks, before the worker ends. */
void intake_rest(struct intake *in);

#endif
