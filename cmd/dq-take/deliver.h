/* deliver: what happens to messages that were taken: they are written, settled, or given back, also
 * over a new connection. */
#ifndef DQ_DELIVER_H
#define DQ_DELIVER_H

#include "taker_state.h"

/* deliver writes the messages taken last. With --ack it settles those that it wrote, so that a
 * record is lost only if its reader loses it. Returns how many it gave back because there was no
 * room for them before their leases ended. -1: t->status has the status. */
int deliver(struct taker *t, struct queue *q);

/* deliver_stalled is the stalled of the printer of that taker: the leases of what was asked for
 * ahead must not end before it is written. */
void deliver_stalled(void *taker);

/* deliver_late: a signal came while a reply was expected; give its deliveries back. */
void deliver_late(struct taker *t, struct queue *q);

/* deliver_reconnect: the server is unreachable or does not serve us now. -f waits forever, -w until
 * its deadline (clock_ms, -1 = none). -1: *e is unchanged, or as from session_again; DQ_REPORTED:
 * t->x->session->status has the status. */
int deliver_reconnect(struct taker *t, int64_t deadline, struct err *e);

#endif
