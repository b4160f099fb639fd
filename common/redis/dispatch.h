/* dispatch: sends calls. It decides to which server, in which order, and when a connection is
 * opened for them. Only the exchange uses this.
 *
 * A call goes to call->at; or where ASK said; or to the node that has the slot of its key, as far
 * as is known; or to the root. It is sent if its time has come, the connection is open and has
 * room, and no call of its lane must go first. Calls of a lane are sent together until one is
 * refused; then all behind it wait: until it is sent again, or, if that is after a pause, for its
 * reply. */
#ifndef DQ_DISPATCH_H
#define DQ_DISPATCH_H

#include "redis/calls.h"

/* dispatch_call sends a call that waits, if it is its turn. w: how to open its connection;
 * NULL: only if it is open. -1: DQ_STOPPED. */
int dispatch_call(struct call *call, const struct wait *w, struct err *e);

/* dispatch_due does that with all calls whose time has come. *next: the time of the next one.
 * *asked: since when replies are expected; it moves, because opening a connection takes no
 * time from others. */
int dispatch_due(struct exchange *x, const struct wait *w, int64_t *asked, int64_t *next,
		 struct err *e);

/* dispatch_as_eval sends a call of a script that node lacks. -1: as conn_send. */
int dispatch_as_eval(struct node *node, struct call *call, struct err *e);

/* dispatch_is_held: does another call of its lane go first? */
bool dispatch_is_held(const struct call *call);

#endif
