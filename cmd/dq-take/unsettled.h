/* unsettled: with --ack, messages that were written and could not be settled yet, because
 * the slot of their queue is being moved or, with -f, its node is lost. The others need not
 * wait for that. */
#ifndef DQ_UNSETTLED_H
#define DQ_UNSETTLED_H

#include "taker_state.h"

/* unsettled_add settles the first n of the last batch of q later. -1: out of memory. */
int unsettled_add(struct taker *t, const struct queue *q, size_t n);

/* unsettled_settle tries it for all, and keeps those that have to wait longer. -1: some cannot be
 * settled: t->status has it. unsettled_end waits for the rest until --timeout, also after a signal,
 * and returns the worst status. */
int unsettled_settle(struct taker *t);
enum status unsettled_end(struct taker *t);

/* unsettled_say says that n messages were written, and *e. Returns -1. */
int unsettled_say(struct taker *t, const struct queue *q, size_t n, const struct err *e);

#endif
