/* deliver: what becomes of messages that were taken: written, settled, or given back, also over a new connection. */
#ifndef DQ_DELIVER_H
#define DQ_DELIVER_H

#include "taker_state.h"

/* deliver writes what was taken last. With --ack what was written is settled, so that a record is lost only if its reader loses it. -1:
 * t->status has it. */
int deliver(struct taker *t, struct queue *q);

/* deliver_late: a signal came while a reply was expected; its deliveries are given back. */
void deliver_late(struct taker *t, struct queue *q);

/* deliver_reconnect: the server is unreachable or does not serve us now. -f waits for ever, -w until its deadline (clock_ms, -1 = none).
 * -1: *e is as it was, or as session_again says; DQ_SAID: t->session.status has it. */
int deliver_reconnect(struct taker *t, int64_t deadline, struct err *e);

#endif
