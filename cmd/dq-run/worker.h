/* worker: the loop of dq-run: runs a command for each message of some queues, several at once on
 * one connection, and settles each message by how its command ended. */
#ifndef DQ_WORKER_H
#define DQ_WORKER_H

#include "worker_conf.h"

/* worker_run works until a signal stops it, no work is left, or it cannot continue. Returns the
 * status of the tool. */
int worker_run(const struct worker_conf *conf);

#endif
