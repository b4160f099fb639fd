/* greet: opens a connection to the one server that its URL names: password, database,
 * the tool's name. */
#ifndef DQ_GREET_H
#define DQ_GREET_H

#include "redis/conn.h"

enum greet_wanted {
	GREET_ANY,    /* whatever server it is: nobody asks */
	GREET_MASTER,
	GREET_NODE    /* a master, or a replica of a cluster, which knows where the masters are */
};

/* greet_open connects anew, closing what was open, until wait->until: socket, TLS, AUTH,
 * SELECT, CLIENT SETNAME and, unless any server is wanted, HELLO (ROLE if the server does not
 * know HELLO, or forbids it). A server that is not wanted is DQ_TEMPORARY (a replica;
 * c->of_cluster: of a cluster), DQ_AUTH (both are forbidden), DQ_CONFIG or DQ_INTERNAL. Other
 * errors as session_open. */
int greet_open(struct conn *c, enum greet_wanted wanted, const struct wait *wait, struct err *e);

#endif
