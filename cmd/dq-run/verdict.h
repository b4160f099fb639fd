/* verdict: what the worker tells Redis about a command that has ended: done, retry, bury or give back. */
#ifndef DQ_VERDICT_H
#define DQ_VERDICT_H

#include "job.h"

/* verdict_reach decides by how the command ended, and notes the reason to store. give_back: the worker ended the command, so the try does
 * not count. True: the command failed. */
bool verdict_reach(struct job *s, bool give_back);

/* verdict_settle settles a job that is JOB_ENDED; without a reply the job stays so, and is settled again. On a plain connection it only
 * sends the call: then the job is JOB_SETTLING, the reply precedes the reply to the next call, and the caller calls verdict_receive. So
 * settling and the next take are one round trip. VERDICTS_MAX bounds the calls without a reply. */
void verdict_settle(struct job *s, struct session *l, const struct wait *wait);

/* verdict_receive reads the reply for a job that is JOB_SETTLING: then the job is free. The job becomes JOB_ENDED if the connection is
 * lost or the server refused the call: an exchange of its own, which handles every refusal, then settles it. */
void verdict_receive(struct job *s, struct session *l, const struct wait *wait);

#define VERDICTS_MAX 16 /* JOB_SETTLING at once: a connection has room for CONN_PENDING_MAX calls */

/* verdict_abandon gives up a verdict that cannot be sent. */
void verdict_abandon(struct job *s, const struct session *l);

#endif
