/* session: opens connections whole: socket, AUTH, SELECT, CLIENT SETNAME. */
#ifndef DQ_SESSION_H
#define DQ_SESSION_H

#include "redis/conn.h"

/* session_open connects anew, closing what was open. Errors: DQ_UNAVAILABLE, DQ_AUTH, DQ_CONFIG, DQ_TEMPORARY (LOADING, BUSY...),
 * DQ_STOPPED, DQ_INTERNAL. All are FATE_NOT_DONE. */
int session_open(struct conn *c, struct err *e);

/* session_reopen opens with growing pauses until it succeeds or the deadline (clock_ms; -1 = never) passes; it goes on after
 * DQ_UNAVAILABLE and DQ_TEMPORARY only. */
int session_reopen(struct conn *c, int64_t deadline, struct err *e);

#endif
