/* durability: confirms that what a call has changed is on replicas and disk (WAIT, WAITAOF), before
 * its result is reported. conf.durable of the connection says what must confirm; if nothing must,
 * these functions do nothing.
 *
 * Behind the call, on its connection and without waiting for its reply, go the script touch and
 * WAIT. WAIT waits for the last write of its connection: without touch a repeated call, which
 * writes nothing because its first sending was done, would be confirmed although no replica has it.
 * There are three replies. If they come in another order (Redis did not know a script, which was
 * sent again), WAIT confirmed nothing about the call, and it is sent again, too, a few times. */
#ifndef DQ_DURABILITY_H
#define DQ_DURABILITY_H

#include <stdbool.h>

#include "redis/call.h"
#include "redis/conn.h"

/* Zero-initialise; durability_free at the end. */
struct durability {
	struct call touch, wait;
	char replicas[12], ms[24]; /* arguments of wait */
	int touches, waits;        /* replies that are expected */
	bool heard;                /* the last reply to wait came in order */
	int asked;                 /* how often wait was sent after one sending of the call */
};

/* durability_reset discards expected replies: their connection is lost. */
void durability_reset(struct durability *d);

/* durability_send sends touch and WAIT behind a call on c. If the server may lack the script, it
 * sends nothing yet, because the call would then run after WAIT; durability_again is true when the
 * call has its reply. If the wait of the call has an end, WAIT takes at most half of the time that
 * is left, because other exchanges follow. Errors as conn_send. */
int durability_send(struct durability *d, struct call *call, struct conn *c, struct err *e);

/* durability_hear records that done, touch or WAIT of this call, has its reply. */
void durability_hear(struct durability *d, const struct call *call, const struct call *done);

/* durability_over: true if all replies have come. */
bool durability_over(const struct durability *d, const struct conn *c, const struct call *call);

/* durability_again: true if all have come, but in an order that confirms nothing:
 * call durability_send again. */
bool durability_again(const struct durability *d, const struct conn *c, const struct call *call);

/* durability_demoted: true if the server did the call but is no longer the master: the change
 * may be lost. */
bool durability_demoted(const struct durability *d, const struct call *call);

/* durability_lost: the error for that. Its owner repeats the call on the next master.
 * Returns -1. */
int durability_lost(struct err *e);

/* durability_wait returns wait, extended by the time that WAIT may take. */
struct wait durability_wait(const struct conn_conf *conf, const struct wait *wait);

/* durability_check: 0: confirmed. -1: not confirmed; the fate is FATE_UNCONFIRMED, and the text
 * begins with "not confirmed". */
int durability_check(const struct durability *d, const struct conn_conf *conf, struct err *e);

/* durability_refused: the error in an error reply to touch, WAIT or WAITAOF. Returns -1. */
int durability_refused(const struct call *call, struct err *e);

/* durability_drop: nobody waits for its replies on c any more. */
void durability_drop(struct durability *d, struct conn *c);
void durability_free(struct durability *d);

#endif
