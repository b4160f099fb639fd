/* greet: opens a connection to the one server that its URL names: password, database, the tool's name. */
#ifndef DQ_GREET_H
#define DQ_GREET_H

#include "redis/conn.h"

/* greet_open connects anew, closing what was open, until wait->until: socket, TLS, AUTH, SELECT, CLIENT SETNAME and, with master, ROLE.
 * A server that is not a master is DQ_TEMPORARY (a replica), DQ_AUTH (ROLE is forbidden), DQ_CONFIG or DQ_INTERNAL. Other errors as
 * session_open. */
int greet_open(struct conn *c, bool master, const struct wait *wait, struct err *e);

#endif
