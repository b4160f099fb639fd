/* job: one delivery of a worker, from take to settled: the running command, its lease,
 * its verdict. */
#ifndef DQ_JOB_H
#define DQ_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/name.h"
#include "child.h"
#include "message/settle.h"
#include "message/take.h"
#include "tool/reconnect.h"
#include "worker_conf.h"

#define JOB_CHECK 1000 /* ms for which a receipt counts as valid without a reply of Redis */

enum job_state {
	JOB_FREE,
	JOB_RUNNING,
	JOB_ENDING, /* its group got TERM: the lease is lost,
	             * or a second signal stopped the worker */
	JOB_ENDED,  /* the command has ended; its verdict is not settled yet */
	/* the verdict is in flight; until verdict_receive nothing else of the job may change */
	JOB_SETTLING
};

struct job {
	enum job_state state;
	struct queue *queue;
	char id[NAME_MAX_BYTES + 1], token[NAME_TOKEN_MAX + 1];
	int64_t ttr;        /* ms, of each extension */
	int64_t ahead;      /* ms: clock_ms and this are the server's time, or a little later */
	int64_t lease_end;  /* clock_ms: no later than the end of the lease on the server */
	int64_t renew_at;   /* clock_ms: when to extend */
	int64_t check_at;   /* clock_ms: when to check that the receipt is valid; lease_check.h */
	bool checked;       /* the check under way includes it */
	int64_t kill_after; /* ms between TERM and KILL */
	int64_t kill_at;    /* clock_ms: in ENDING the time of KILL, then of giving up */
	bool killed;        /* KILL was sent */
	int64_t linger_at;  /* clock_ms: when to check again whether the rest of an ENDING
	                     * group has ended */
	bool lost;          /* the lease is lost: of its verdicts only an ack is sent */
	bool removed;       /* its queue is being removed, which was reported */
	bool reply_lost;    /* the verdict was sent once, and its reply was lost */
	bool unconfirmed;   /* the verdict is settled, but a failover may lose it */
	bool waits;         /* JOB_ENDED: the verdict waits for one node of a cluster,
	                     * or one slot: pool.h */
	struct settling settling; /* JOB_SETTLING: on its way */
	enum settle_verb verdict;
	char amount[24];    /* of the verdict, as in settle_call */
	bool told;          /* the reason is the one that the command gave with its verdict */
	char reason[SETTLE_REASON_MAX + 1];
	struct child child;
};

/* job_clear: it is free. kill_after: ms. */
void job_clear(struct job *s, int64_t kill_after);

/* job_start runs the command of conf for delivery d of t, taken from q by a request sent at
 * `asked` (clock_ms). says: child.h. Returns 0, or an errno: then the job is free and the
 * message still leased. */
int job_start(struct job *s, struct queue *q, const struct take *t, const struct delivery *d,
	      const struct worker_conf *conf, char *const envp[], const int says[2], int64_t asked);

/* job_tend renews the lease in time. It ends the command if the lease is lost, and kills it if TERM
 * did not end it. */
void job_tend(struct job *s, struct exchange *x, const struct wait *wait);

/* job_doubt: the receipt seems invalid. The next job_tend renews the lease, and so finds out. */
void job_doubt(struct job *s);

/* job_end sends TERM to the command's process group, and KILL kill_after later. */
void job_end(struct job *s);

/* job_reap checks, after pool_gather, whether the command has ended; if the command must end, its
 * whole group must have ended, too. True: it has ended now, and the caller calls verdict_reach. */
bool job_reap(struct job *s);

/* job_lost: an exchange about its message failed; the session opens the connection anew. */
void job_lost(const struct job *s, struct exchange *x, const struct err *e);

/* job_time: when job_tend must act, INT64_MAX = never. */
int64_t job_time(const struct job *s);

#endif
