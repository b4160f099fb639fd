/* worker_conf: what a worker was asked for. */
#ifndef DQ_WORKER_CONF_H
#define DQ_WORKER_CONF_H

#include <stdbool.h>
#include <stdint.h>

#include "queue/queue.h"
#include "redis/conn.h"

struct worker_conf {
	struct conn *conn;
	const char *prefix, *password_file; /* the latter may be NULL: for what commands call */
	struct queue *queues; /* taken from in this order; each a whole */
	int queue_count;
	char *const *argv;    /* the command */
	int jobs;             /* at once */
	int64_t ttr;          /* ms, -1 = each message's own */
	int64_t kill_after;   /* ms between TERM and KILL */
	bool once;            /* one take, then the end */
	bool drain;           /* until nothing is delayed, ready or leased */
	bool until_empty;     /* until nothing is due and nothing runs */
	bool verbose;
	bool quiet;           /* do not report queues that do not exist yet */
	int signal_fd;        /* a byte for each signal that asks to stop */
	int child_fd;         /* readable when a child may have ended */
};

static inline bool worker_ends_by_itself(const struct worker_conf *conf)
{
	return conf->once || conf->drain || conf->until_empty;
}

/* --once, --drain or --until-empty: some commands failed. The other two: the command cannot be started, as shells say it. */
enum { WORKER_SOME_FAILED = 123, WORKER_NOT_RUNNABLE = 126, WORKER_NOT_FOUND = 127 };

#endif
