/* verdict: what the worker tells Redis about a command that has ended: done, retry,
 * bury or give back. */
#ifndef DQ_VERDICT_H
#define DQ_VERDICT_H

#include "job.h"

/* verdict_reach decides by the last line on descriptor 3, or without one by how the command ended,
 * and notes the reason to store. give_back: the worker ended the command, so without a line the try
 * does not count. True: the command failed. */
bool verdict_reach(struct job *s, bool give_back);

/* verdict_settle begins to settle a job that is JOB_ENDED, if the connection is open: then the
 * job is JOB_SETTLING, and the worker goes on. verdict_receive waits for the reply: then the
 * job is free; or JOB_ENDED, if it must be settled again. So settling and the next take are
 * one round trip. */
void verdict_settle(struct job *s, struct exchange *x, const struct wait *wait);
/* true: settled, but a failover may lose it */
bool verdict_receive(struct job *s, struct exchange *x, const struct wait *wait);

/* verdict_wait: a server in doubt may hang, so a signal ends that exchange;
 * settling twice is safe. */
struct wait verdict_wait(const struct exchange *x, const struct wait *wait);

/* verdict_abandon gives up a verdict that cannot be sent. */
void verdict_abandon(struct job *s, const struct exchange *x);

#endif
