/* servers: what the server of a connection reports about itself or, in a cluster,
 * each node that has slots. */
#ifndef DQ_SERVERS_H
#define DQ_SERVERS_H

#include "redis/server_info.h"

/* A server that was asked. */
struct server_reply {
	struct node *at;             /* its connection is perhaps closed */
	const char *node;            /* HOST:PORT; NULL: no cluster */
	int slots;                   /* of a cluster's node */
	const struct server *server;
	struct err *failed;          /* NULL, or the error: then server is empty */
};

/* A cluster, before its nodes. */
struct cluster_reply {
	int unassigned;              /* slots that no node has */
	struct err *failed;          /* NULL, or why the nodes are unknown: then only the node that
	                              * replied is checked */
};

struct servers {
	/* Each returns less than 0, with the reason in *e, to end the iteration. cluster is called
	 * only for a cluster. */
	int (*cluster)(void *ctx, const struct cluster_reply *t, struct err *e);
	int (*each)(void *ctx, const struct server_reply *t, struct err *e);
	void *ctx;
};

/* servers_each asks the server of the URL, whose connection is open, and calls the functions.
 * -1: an error of server_ask for that server, or of a function. */
int servers_each(struct exchange *x, const struct servers *s, struct err *e);

#endif
