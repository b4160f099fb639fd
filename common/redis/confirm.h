/* confirm: calls that are confirmed before they count (durability.h). */
#ifndef DQ_CONFIRM_H
#define DQ_CONFIRM_H

#include "redis/durability.h"
#include "redis/exchange.h"

/* confirm_check: the server did the call, which is over; is that as durable as requested? -1 with
 * FATE_UNCONFIRMED: it is not, and call->reply is its reply. -1 with FATE_UNKNOWN: the server is no
 * master any more, and the tool repeats the call on the next one. */
int confirm_check(struct call *call, const struct durability *d, struct err *e);

/* confirm_run is exchange_run, then confirm_check. */
int confirm_run(struct exchange *x, struct call *call, const struct wait *wait, struct err *e);

/* confirm_possible: -1 with DQ_CONFIG or DQ_AUTH if the disk must confirm and this server cannot do
 * that. Other errors appear in the calls that follow. */
int confirm_possible(struct exchange *x, struct err *e);

#endif
