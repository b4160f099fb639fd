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

/* durability_hear: done has its reply: is it touch or WAIT of this call? Then that is recorded. */
bool durability_hear(struct durability *d, const struct call *call, const struct call *done);

/* durability_idle: is no reply to them on its way? */
bool durability_idle(const struct durability *d);

/* durability_over: have all replies come? durability_again: all have come, but their order confirms nothing: call durability_send
 * again. */
bool durability_over(const struct durability *d, const struct queue *q, const struct call *call);
bool durability_again(const struct durability *d, const struct queue *q, const struct call *call);

/* durability_demoted: the server did the call, but is no longer the master: the change may be lost. */
bool durability_demoted(const struct durability *d, const struct call *call);

/* durability_wait is wait (NULL: that of the connection), longer by the time that WAIT may take. */
struct wait durability_wait(const struct conn *c, const struct wait *wait);

/* durability_recv waits for the reply to call, and for those that confirm it. As script_recv; after DQ_STOPPED it may be called again. */
int durability_recv(struct durability *d, struct queue *q, const struct call *call, const struct wait *wait, struct err *e);

/* durability_check: 0 confirmed. -1: not, with FATE_UNCONFIRMED and a text that begins with "not confirmed". */
int durability_check(const struct durability *d, const struct queue *q, struct err *e);

/* durability_run is script_run, and then all of the above: -1 with FATE_UNCONFIRMED if the call was done, and call->reply is its
 * reply. */
int durability_run(struct queue *q, struct call *call, const struct wait *wait, struct err *e);

/* durability_possible: if the disk must confirm, can this server do that? -1 with DQ_CONFIG or DQ_AUTH if not. The calls that follow
 * report other errors. */
int durability_possible(struct conn *c, struct err *e);

void durability_free(struct durability *d);

#endif
