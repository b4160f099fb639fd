/* exchange: calls on their way to Redis. Here, in dispatch.h and in judge.h, and nowhere else, it
 * is decided to which server a call goes, when it is sent again, and when it is over. A tool adds
 * calls and goes on; it waits for one of them when it needs the reply. Meanwhile the replies to all
 * others are read, too.
 *
 *   state        means                                      leaves it
 *   CALL_MADE    the caller fills it                        exchange_add: CALL_WAITS
 *   CALL_WAITS   not sent, or to be sent again: its         sent: CALL_SENT;
 *                connection is closed or full, a server     no hope, or no time left: CALL_OVER
 *                refused it, or an earlier call of its
 *                lane has no reply
 *   CALL_SENT    its reply, or a reply that confirms it,    refused or lost: CALL_WAITS or
 *                is expected                                CALL_OVER; replies: CALL_OVER
 *   CALL_OVER    reply is the reply; or why says why        call_start: CALL_MADE
 *                there is none
 *
 * A call on its way is CALL_WAITS or CALL_SENT. It is in the list of one exchange, in the order of
 * adding, and the exchange borrows it, with its arguments; it must not move in memory. call_free,
 * and call_start, take it out.
 *
 * The exchange acts only inside these functions. It writes in add and push; it opens connections,
 * and reads, in wait and step. */
#ifndef DQ_EXCHANGE_H
#define DQ_EXCHANGE_H

#include "redis/calls.h"

void exchange_init(struct exchange *x, const struct conn_conf *conf);

/* exchange_close closes all connections. All calls must be over, or dropped. */
void exchange_close(struct exchange *x);

/* exchange_add begins a call: at call->at, or else at the node that has the slot of its key. It is
 * sent now if its connection is open and has room. It never waits, and never fails: the call has
 * the failure. wait (NULL: that of the connection) limits how long refusals are repeated. */
void exchange_add(struct exchange *x, struct call *call, const struct wait *wait);

/* exchange_push sends the calls whose time has come, if their connections are open, and writes what
 * sockets accept. It never waits. */
void exchange_push(struct exchange *x);

/* exchange_wait waits until the call is over. 0: *call->reply is no error reply. -1: it is, or
 * there is none: *e. Connections that the calls on their way need are opened. wait (NULL: that of
 * the connection): timeout is for each reply. DQ_STOPPED, without CALL_OVER: a signal came; the
 * call is on its way still, and may be waited for again. */
int exchange_wait(struct call *call, const struct wait *wait, struct err *e);

/* exchange_step waits until any call may be over, or may be sent. -1: DQ_STOPPED. */
int exchange_step(struct exchange *x, const struct wait *wait, struct err *e);

/* exchange_due: the time (clock_ms) from which exchange_step does more than wait; in the past while
 * a reply is expected; INT64_MAX: no call is on its way. */
int64_t exchange_due(const struct exchange *x);

/* exchange_end is exchange_wait, but the call does not stay on its way: after DQ_STOPPED it is
 * dropped, and its connection closed, because its reply may not come soon. */
int exchange_end(struct call *call, const struct wait *wait, struct err *e);

/* exchange_run is exchange_add and exchange_end. */
int exchange_run(struct exchange *x, struct call *call, const struct wait *wait, struct err *e);

/* exchange_ask is exchange_run for a reply of that hiredis type.
 * Any other type is call_unexpected. */
int exchange_ask(struct exchange *x, struct call *call, int type, const struct wait *wait,
		 struct err *e);

/* exchange_result: how a call that is over has ended; returns as exchange_wait. */
int exchange_result(const struct call *call, struct err *e);

/* exchange_cut closes the connection to which the call was sent: what it brings is wrong,
 * or comes too late. */
void exchange_cut(struct call *call);

#endif
