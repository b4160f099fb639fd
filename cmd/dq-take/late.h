/* late: with --ack, messages that were written and could not be settled yet, because the slot of their queue is being moved. The others
 * need not wait for that. */
#ifndef DQ_LATE_H
#define DQ_LATE_H

#include "taker_state.h"

/* late_add settles the first n of the last batch of q later. -1: out of memory. */
int late_add(struct taker *t, const struct queue *q, size_t n);

/* late_settle tries it for all, and keeps those that have to wait longer. -1: some cannot be settled: t->status has it. late_end waits for
 * the rest until --timeout, also after a signal, and returns the worst status. */
int late_settle(struct taker *t);
enum status late_end(struct taker *t);

/* late_unsettled says that n messages were written, and *e. Returns -1. */
int late_unsettled(struct taker *t, const struct queue *q, size_t n, const struct err *e);

#endif
