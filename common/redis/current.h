/* current: waits until what a server has is current, with patience (patience.h): a replica whose
 * link to its master is down has old data, or none. */
#ifndef DQ_CURRENT_H
#define DQ_CURRENT_H

#include "redis/exchange.h"

/* current_await waits for conf.retry_for at most; after that, and without patience, replica.h says
 * what the data is. Other failures are those of the calls that follow. -1: DQ_STOPPED. */
int current_await(struct exchange *x, struct err *e);

#endif
