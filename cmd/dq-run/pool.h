/* pool: all jobs of a worker: finds a free one, knows when the next job must act,
 * lists what to poll for them. */
#ifndef DQ_POOL_H
#define DQ_POOL_H

#include <poll.h>

#include "job.h"

/* A verdict may wait for one node of a cluster, or for a slot that moves, while the others are
 * served. Such a job (job.waits) has no command, so another one takes its place: there are more
 * jobs than commands at once. From a queue whose verdicts wait nothing is taken, so at most `most`
 * verdicts wait for a node or a slot. If all jobs wait, nothing is started. */
struct pool {
	struct job *jobs;
	int count; /* of jobs in use: as many as commands at once, and more once verdicts wait */
	int room;  /* of jobs */
	int most;  /* commands at once; more may run where it became less */
	int64_t kill_after;
	bool unconfirmed; /* some verdicts are settled, but a failover may lose them */
};

/* pool_init returns -1 if out of memory. most: commands at once.
 * kill_after: ms between TERM and KILL. */
int pool_init(struct pool *c, int most, int64_t kill_after);
void pool_free(struct pool *c);

int pool_busy(const struct pool *c); /* jobs that are not free */
/* commands that may be started, at the latest when the verdicts in flight have replies */
int pool_free_soon(const struct pool *c);
/* commands that still run, or whose end job_reap has not seen */
int pool_runs(const struct pool *c);
int pool_works(const struct pool *c); /* commands that still run, after pool_gather */
struct job *pool_free_job(struct pool *c); /* a free one, or NULL */

/* pool_time: clock_ms when a job must act even without an event, INT64_MAX = never. connect_at:
 * when a verdict that waits for a connection must act. */
int64_t pool_time(const struct pool *c, int64_t connect_at);

/* pool_hurry: ms until a lease ends or a KILL is due: no exchange may take longer.
 * INT64_MAX = no limit. */
int64_t pool_hurry(const struct pool *c);

/* pool_gather passes the status of each ended process to its job. Orphans have no job;
 * it only gathers them. */
void pool_gather(struct pool *c);

/* pool_tend renews the leases and sends the signals that are due. */
void pool_tend(struct pool *c, struct exchange *x, const struct wait *wait);

/* pool_settle begins to settle the commands that ended. */
void pool_settle(struct pool *c, struct exchange *x, const struct wait *wait);

/* pool_hear waits for the replies and frees the jobs that are settled: call it before
 * jobs are needed. */
void pool_hear(struct pool *c, struct exchange *x, const struct wait *wait);

/* pool_receive does the same as pool_hear, and handles the failures of the others: call it before
 * the worker sleeps. */
void pool_receive(struct pool *c, struct exchange *x, const struct wait *wait);

/* pool_end ends all running commands. Call pool_gather before. A lease_check may be under way. */
void pool_end(struct pool *c);

#define POOL_POLLS 4

/* pool_polls lists the open pipes of the commands, at most POOL_POLLS for each job, and
 * returns how many. It omits closed pipes, because poll(2) refuses more entries than the
 * limit of descriptors. */
nfds_t pool_polls(const struct pool *c, struct pollfd *polls);

/* pool_serve, after poll(2), reads and writes the pipes that are ready. */
void pool_serve(struct pool *c, const struct pollfd *polls);

#endif
