/* worker_conf: the configuration of a worker, from the command line. */
#ifndef DQ_WORKER_CONF_H
#define DQ_WORKER_CONF_H

#include <stdbool.h>
#include <stdint.h>

#include "queue/queue.h"
#include "redis/exchange.h"

struct worker_conf {
	struct exchange *x;
	/* for dq tools that commands call; password_file may be NULL */
	const char *prefix, *password_file;
	struct queue *queues; /* each is a whole */
	int queue_count;
	char *const *argv;    /* the command */
	int jobs;             /* commands at once */
	bool rotate;          /* the queues in turn; else in this order,
	                       * the first one until it is empty */
	int64_t ttr;          /* ms, -1 = each message's own */
	const char *holder;   /* as in take_conf */
	int64_t kill_after;   /* ms between TERM and KILL */
	bool once;            /* take once, then end */
	bool drain;           /* until no message is delayed, ready or leased */
	bool until_empty;     /* until no message is due and no command runs */
	bool result;          /* the last line of standard output is the result */
	bool verbose;
	bool quiet;           /* do not report queues that are paused, limited,
	                       * or do not exist yet */
	int signal_fd;        /* a byte for each signal that asks to stop */
	int child_fd;         /* readable when a child may have ended */
};

static inline bool worker_ends_by_itself(const struct worker_conf *conf)
{
	return conf->once || conf->drain || conf->until_empty;
}

/* WORKER_SOME_FAILED: with --once, --drain or --until-empty some commands failed. The other two are
 * the statuses of shells for a command that cannot be started. */
enum { WORKER_SOME_FAILED = 123, WORKER_NOT_RUNNABLE = 126, WORKER_NOT_FOUND = 127 };

#endif
