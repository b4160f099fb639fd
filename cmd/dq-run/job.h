/* job: one delivery of a worker, from take to settled: the command that runs, the lease that is kept, the verdict. */
#ifndef DQ_JOB_H
#define DQ_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/name.h"
#include "child.h"
#include "queue/settle.h"
#include "queue/take.h"
#include "tool/reconnect.h"

#define JOB_LOOK 1000 /* ms for which a receipt counts as valid without a word from Redis */

enum job_state {
	JOB_FREE,
	JOB_RUNNING,
	JOB_ENDING, /* its group got TERM: the lease is lost, or we were told twice to stop */
	JOB_ENDED,  /* the command is over, the verdict is not yet with Redis */
	JOB_SETTLING /* the verdict is on its way, and its answer; until verdict_confirm nothing else of the job may change */
};

struct job {
	enum job_state state;
	struct child child;
	struct queue *queue;
	char id[NAME_MAX_BYTES + 1], token[NAME_TOKEN_MAX + 1];
	int64_t ttr;        /* ms, of each extension */
	int64_t lease_end;  /* clock_ms: not later than the server's end of the lease */
	int64_t renew_at;   /* clock_ms: time to extend */
	int64_t look_at;    /* clock_ms: time to ask whether the receipt is still valid; lease_check.h */
	int64_t kill_after; /* ms between TERM and KILL */
	int64_t kill_at;    /* clock_ms: ENDING becomes KILL, and then nothing more to be done */
	bool killed;        /* KILL was sent */
	int64_t linger_at;  /* clock_ms: look again whether the rest of an ENDING group has ended */
	bool lost;          /* the lease is: nothing is to be settled */
	bool sent;          /* the verdict went out once, and its answer was lost */
	bool unconfirmed;   /* the verdict is with Redis, but a failover may lose it */
	bool refused;       /* it was, when it was sent ahead: it is brought by an exchange of its own */
	struct call settling; /* it, on its way: JOB_SETTLING */
	enum settle_verb verdict;
	char reason[SETTLE_REASON_MAX + 1];
};

/* job_start runs argv for the i-th delivery of t, taken from q by a request sent at `asked` (clock_ms). ttr: ms of each extension,
 * -1 = the message's own. Returns 0, or an errno: then the job is free and the message still leased. */
int job_start(struct job *s, struct queue *q, const struct take *t, const struct delivery *d, char *const argv[],
	      char *const envp[], int64_t ttr, int64_t asked);

/* job_tend renews the lease when it is time, ends the command when the lease is lost, and kills it when TERM was not enough. */
void job_tend(struct job *s, struct session *l, const struct wait *wait);

/* job_doubt: the receipt does not seem to be valid any more: the next job_tend renews the lease, and so finds out. */
void job_doubt(struct job *s);

/* job_end sends TERM to the command's process group, and KILL kill_after later. */
void job_end(struct job *s);

/* job_reap looks whether the command has ended (after pool_gather), and, of one that must end, all its group. True: it has ended now, and
 * verdict_reach is to follow. */
bool job_reap(struct job *s);

/* job_lost: an exchange about its message failed; the connection is opened anew. */
void job_lost(const struct job *s, struct session *l, const struct err *e);

/* job_time: when job_tend has something to do, INT64_MAX = never. */
int64_t job_time(const struct job *s);

#endif
