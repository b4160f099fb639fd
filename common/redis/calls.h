/* calls: an exchange, and the list of its calls that are on their way: how each of them leaves it.
 * Tools use exchange.h.
 *
 *   a connection is lost    LOSS_FAILS        LOSS_ONCE         LOSS_REPEATS
 *   call not written        over, not done    waits             waits
 *   written                 over, unknown     over, unknown     waits; it may be repeated
 *   while confirming        over, unknown     over, unknown     waits; it is repeated, and
 *                                                             has its reply until it is sent
 *   password, TLS, protocol over              over              over
 *
 * LOSS_ENDS is as LOSS_FAILS. With patience (patience.h) LOSS_FAILS is as LOSS_ONCE, or as
 * LOSS_REPEATS for a call that only reads. */
#ifndef DQ_CALLS_H
#define DQ_CALLS_H

#include "redis/call.h"
#include "redis/nodes.h"
#include "redis/patience.h"

/* exchange_init first. It must not move in memory. */
struct exchange {
	struct nodes nodes;
	struct conn_conf *conf;    /* that of the root */
	struct session *session;   /* that of the root: what is reported,
	                            * and when a tool that lasts opens it again */
	struct call *first, *last; /* on their way, in the order of adding */
	int64_t asked, stepped;    /* clock_ms: since when exchange_step waits for replies;
	                            * when it last ended */
	struct patience patience;
	bool tool_repeats;         /* the tool opens a lost connection again,
	                            * and makes its calls anew: they need not follow the master */
};

/* calls_patience: NULL for a tool that opens a lost connection again itself: only its first
 * connection needs patience. */
static inline struct patience *calls_patience(struct exchange *x)
{
	return x->tool_repeats ? NULL : &x->patience;
}

void calls_add(struct exchange *x, struct call *call);

/* calls_end: the call is over. why: NULL: it has its reply. */
void calls_end(struct call *call, const struct err *why);

/* calls_again: it waits, and is sent again at retry_at (clock_ms). */
void calls_again(struct call *call, int64_t retry_at);

/* calls_lose: the connection of node is lost, and with it the replies to all its calls; it is
 * closed if it is still open. That is noted once (nodes_note). */
void calls_lose(struct exchange *x, struct node *node, const struct err *e);

/* calls_sweep finds calls whose connection somebody else closed. */
void calls_sweep(struct exchange *x);

#endif
