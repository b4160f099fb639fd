/* durability: confirms that what a call has changed is on replicas and disk (WAIT, WAITAOF), before its result is reported. What is
 * asked for is in conf.durable of the connection; if that is nothing, all of this does nothing.
 *
 * Behind the call, on its connection and without waiting for its reply, go the script touch and WAIT. WAIT waits for the last write
 * of its connection: without touch a repeated call, which writes nothing because its first sending was done, would be confirmed
 * although no replica has it. Three replies come. In another order (Redis did not know a script, which was sent again) WAIT has said
 * nothing of the call, and is sent again, too: a few times. */
#ifndef DQ_DURABILITY_H
#define DQ_DURABILITY_H

#include <stdbool.h>

#include "queue/queue.h"

/* Zero-initialise; durability_free at the end. */
struct durability {
	struct call touch, wait;
	char replicas[12], ms[24]; /* arguments of wait */
	int touches, waits;        /* replies to them that are on their way */
	bool heard;                /* the last one to wait came in order */
	int asked;                 /* how often it was sent behind one sending of the call */
};

/* durability_reset forgets replies that are on their way: their connection is lost. */
void durability_reset(struct durability *d);

/* durability_send sends touch and WAIT behind a call on q: not yet if its server may lack the script, since the call would run behind WAIT;
 * then durability_again is true once the call is answered. wait as for the reply to the call (NULL: that of the connection): if it ends
 * at some time, WAIT takes at most half of what is left, since other exchanges are to follow. As conn_send. */
int durability_send(struct durability *d, const struct call *call, struct queue *q, const struct wait *wait, struct err *e);

/* durability_hear: is done, which is answered, one of the two that are behind call? Then it is noted. */
bool durability_hear(struct durability *d, const struct call *call, const struct call *done);

/* durability_idle: is no reply to them on its way? */
bool durability_idle(const struct durability *d);

/* durability_over: have all replies come? durability_again: they have, in an order that says nothing: durability_send is to be called
 * again. */
bool durability_over(const struct durability *d, const struct queue *q, const struct call *call);
bool durability_again(const struct durability *d, const struct queue *q, const struct call *call);

/* durability_demoted: the server did the call, and is no master any more: what it did may be lost. */
bool durability_demoted(const struct durability *d, const struct call *call);

/* durability_patience is wait (NULL: that of the connection) with the time that WAIT takes. */
struct wait durability_patience(const struct conn *c, const struct wait *wait);

/* durability_recv waits for the reply to call, and for those that confirm it. As script_recv; after DQ_STOPPED it may be called again. */
int durability_recv(struct durability *d, struct queue *q, const struct call *call, const struct wait *wait, struct err *e);

/* durability_check: 0 confirmed. -1: not, with FATE_UNCONFIRMED and a text that begins with "not confirmed". */
int durability_check(const struct durability *d, const struct queue *q, struct err *e);

/* durability_run is script_run, and then all of the above: -1 with FATE_UNCONFIRMED if the call was done, and call->reply is its
 * reply. */
int durability_run(struct queue *q, struct call *call, const struct wait *wait, struct err *e);

/* durability_possible asks the server, if the disk is to confirm, whether it can: -1 with DQ_CONFIG or DQ_AUTH if not. Other errors
 * are left to the calls that follow. */
int durability_possible(struct conn *c, struct err *e);

void durability_free(struct durability *d);

#endif
