/* handshake: what is said first on a connection: AUTH, SELECT, CLIENT SETNAME. */
#ifndef DQ_HANDSHAKE_H
#define DQ_HANDSHAKE_H

#include "redis/conn.h"

/* handshake_run returns when AUTH and SELECT are answered well. Errors as conn_open's; the connection may be closed then. */
int handshake_run(struct conn *c, struct err *e);

#endif
