/* worker: runs a command for each message of some queues, several at once on one connection, and settles each by how its
 * command ended. What dq-run is. */
#ifndef DQ_WORKER_H
#define DQ_WORKER_H

#include "worker_conf.h"

/* worker_run works until a signal stops it, nothing is left to do, or it cannot go on. Returns the tool's status. */
int worker_run(const struct worker_conf *conf);

#endif
