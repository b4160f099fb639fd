/* verdict: what is brought to Redis of a job whose command has ended: done, tried again, dead or given back. */
#ifndef DQ_VERDICT_H
#define DQ_VERDICT_H

#include "job.h"

/* verdict_reach decides, by the way in which the command of a job has ended, with the reason to keep. give_back: a command that was ended
 * by us was not really tried. True: it has failed. */
bool verdict_reach(struct job *s, bool give_back);

/* verdict_settle settles a job that is JOB_ENDED; without a reply the job stays so, and is settled again. On a plain connection it only
 * sends the call: then the job is JOB_SETTLING, the reply precedes the reply to the next call, and the caller calls verdict_confirm. So
 * settling and the next take are one round trip. VERDICTS_MAX bounds the calls without a reply. */
void verdict_settle(struct job *s, struct session *l, const struct wait *wait);

/* verdict_confirm reads the reply for a job that is JOB_SETTLING: then the job is free. The job becomes JOB_ENDED if the connection is
 * lost or the server refused the call: an exchange of its own, which handles every refusal, then settles it. */
void verdict_confirm(struct job *s, struct session *l, const struct wait *wait);

#define VERDICTS_MAX 16 /* JOB_SETTLING at once: a connection has room for CONN_PENDING_MAX calls */

/* verdict_abandon gives up a verdict that cannot be sent. */
void verdict_abandon(struct job *s);

#endif
