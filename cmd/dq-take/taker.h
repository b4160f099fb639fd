/* taker: the loop of dq-take: leases messages of some queues and prints them,
 * until there are enough. */
#ifndef DQ_TAKER_H
#define DQ_TAKER_H

#include "options.h"
#include "redis/exchange.h"

/* taker_run takes and prints according to the options; signals reach it by x.
 * Returns the status of the tool. */
enum status taker_run(const struct options *options, struct exchange *x);

#endif
