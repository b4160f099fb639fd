/* pool: all jobs of a worker: finds a free one, knows when the next one has something to do, lists what to poll for them. */
#ifndef DQ_POOL_H
#define DQ_POOL_H

#include <poll.h>

#include "job.h"

struct pool {
	struct job *jobs;
	int count;
};

/* pool_init: -1 when memory is out. kill_after: ms between TERM and KILL. */
int pool_init(struct pool *c, int jobs, int64_t kill_after);
void pool_free(struct pool *c);

int pool_busy(const struct pool *c); /* jobs that are not free */
int pool_free_soon(const struct pool *c); /* those that are, or will be once their verdicts are confirmed */
int pool_runs(const struct pool *c); /* commands that run still */
struct job *pool_free_job(struct pool *c); /* a free one, or NULL */

/* pool_time: clock_ms when a job needs something although nothing happens, INT64_MAX = never. A verdict that waits for a connection
 * needs it at connect_at. */
int64_t pool_time(const struct pool *c, int64_t connect_at);

/* pool_hurry: ms until a lease ends or a KILL is due: no exchange may take longer. INT64_MAX = no hurry. */
int64_t pool_hurry(const struct pool *c);

/* pool_gather hands the status of each process that has ended to its job; orphans of what ran have none, and just go. */
void pool_gather(struct pool *c);

/* pool_settle brings the verdicts of the commands that ended. pool_confirm gets the answers of those that were only sent. Between both one
 * call may be made on their connection, and others none. True: some verdicts are with Redis, but a failover may lose them. */
bool pool_settle(struct pool *c, struct session *l, const struct wait *wait);
void pool_confirm(struct pool *c, struct session *l, const struct wait *wait);

/* pool_end ends all that runs. */
void pool_end(struct pool *c);

/* pool_polls lists the open pipes of the commands, at most two a job, and returns how many: no closed ones, since poll(2) refuses
 * more of them than descriptors are allowed. pool_serve then moves what those pipes are ready for. */
nfds_t pool_polls(const struct pool *c, struct pollfd *polls);
void pool_serve(struct pool *c, const struct pollfd *polls);

#endif
