/* verdict: what is brought to Redis of a job whose command has ended: done, tried again, dead or given back. */
#ifndef DQ_VERDICT_H
#define DQ_VERDICT_H

#include "job.h"

/* verdict_reach decides, by the way in which the command of a job has ended, with the reason to keep. give_back: a command that was ended
 * by us was not really tried. True: it has failed. */
bool verdict_reach(struct job *s, bool give_back);

/* verdict_settle brings the verdict of a job that is JOB_ENDED; without an answer it stays, and is brought again. On a plain connection it
 * only sends it: then the job is JOB_SETTLING, its answer comes before that to the next call, and verdict_confirm is to follow. So
 * settling and the next take are one round trip. Calls that are on their way fill no connection: see VERDICTS_MAX. */
void verdict_settle(struct job *s, struct session *l, const struct wait *wait);

/* verdict_confirm gets the answer, for a job that is JOB_SETTLING: then it is free. Or JOB_ENDED: the connection is lost, or the verdict was
 * refused, and is brought again by an exchange of its own, which knows all refusals. */
void verdict_confirm(struct job *s, struct session *l, const struct wait *wait);

#define VERDICTS_MAX 16 /* JOB_SETTLING at once: a connection has room for CONN_PENDING_MAX calls */

/* verdict_abandon gives one up that cannot be brought. */
void verdict_abandon(struct job *s);

#endif
