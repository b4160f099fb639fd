/* linger: waits until as many messages are due as a round takes, or until the first one has
 * been due for long enough. It leases nothing meanwhile, and holds no marks: others may
 * take these messages. */
#ifndef DQ_TAKE_LINGER_H
#define DQ_TAKE_LINGER_H

#include "taker_state.h"

/* linger_await. 1: take now; without --linger it is so at once. 0: nothing is due, or it is not
 * known: the next round takes nothing. -1: a signal, the reader is gone, or a failure that does not
 * pass. Shards that cannot be asked now do not count: the round finds out why. */
int linger_await(struct taker *t, struct err *e);

#endif
