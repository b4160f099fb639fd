/* durability: confirms that what a call has changed is on replicas and disk (WAIT, WAITAOF), before its result is reported.
 * conf.durable of the connection says what must confirm; if nothing must, these functions do nothing.
 *
 * Behind the call, on its connection and without waiting for its reply, go the script touch and WAIT. WAIT waits for the last write
 * of its connection: without touch a repeated call, which writes nothing because its first sending was done, would be confirmed
 * although no replica has it. There are three replies. If they come in another order (Redis did not know a
 * script, which was sent again), WAIT confirmed nothing about the call, and it is sent again, too, a few times. */
#ifndef DQ_DURABILITY_H
#define DQ_DURABILITY_H

#include <stdbool.h>

#include "queue/queue.h"

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

/* durability_send sends touch and WAIT behind a call on q. If the server may lack the script, it sends nothing yet, because the call would
 * then run after WAIT; durability_again is true when the call has its reply. wait is that of the reply to the call (NULL: that of the
 * connection). If wait has an end, WAIT takes at most half of the time that is left, because other exchanges
 * follow. Errors as conn_send. */
int durability_send(struct durability *d, const struct call *call, struct queue *q, const struct wait *wait, struct err *e);

/* durability_hear: done has its reply. If done is touch or WAIT of this call, the reply is recorded, and the result is true. */
bool durability_hear(struct durability *d, const struct call *call, const struct call *done);

/* durability_idle: true if no reply to touch or WAIT is expected. */
bool durability_idle(const struct durability *d);

/* durability_over: true if all replies have come. durability_again: true if all have come, but in an order that confirms nothing: call
 * durability_send again. */
bool durability_over(const struct durability *d, const struct queue *q, const struct call *call);
bool durability_again(const struct durability *d, const struct queue *q, const struct call *call);

/* durability_demoted: true if the server did the call but is no longer the master: the change may be lost. */
bool durability_demoted(const struct durability *d, const struct call *call);

/* durability_wait returns wait (NULL: that of the connection), extended by the time that WAIT may take. */
struct wait durability_wait(const struct conn *c, const struct wait *wait);

/* durability_recv waits for the reply to call and for the replies that confirm it. As script_recv; after DQ_STOPPED it may be called
 * again. */
int durability_recv(struct durability *d, struct queue *q, const struct call *call, const struct wait *wait, struct err *e);

/* durability_check: 0: confirmed. -1: not confirmed; the fate is FATE_UNCONFIRMED, and the text begins with "not confirmed". */
int durability_check(const struct durability *d, const struct queue *q, struct err *e);

/* durability_run calls script_run, then confirms the call. -1 with FATE_UNCONFIRMED: the call was done, and call->reply is its reply. */
int durability_run(struct queue *q, struct call *call, const struct wait *wait, struct err *e);

/* durability_possible: -1 with DQ_CONFIG or DQ_AUTH if the disk must confirm and this server cannot do that. Other errors appear in the
 * calls that follow. */
int durability_possible(struct conn *c, struct err *e);

void durability_free(struct durability *d);

#endif
