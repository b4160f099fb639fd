/* taker: leases messages of some queues and prints them, until there are enough. What dq-take is. */
#ifndef DQ_TAKER_H
#define DQ_TAKER_H

#include "options.h"
#include "redis/conn.h"

/* taker_run takes and prints as the options say; signals reach it by conn. Returns the tool's status. */
enum status taker_run(const struct options *options, struct conn *conn);

#endif
