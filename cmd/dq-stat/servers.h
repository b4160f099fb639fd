/* servers: what the server of a connection says of itself or, if it is of a cluster, each node that has slots. */
#ifndef DQ_SERVERS_H
#define DQ_SERVERS_H

#include "redis/server_info.h"

/* One that was asked. */
struct told {
	struct conn *conn;           /* to it; perhaps closed */
	const char *node;            /* HOST:PORT; NULL: no cluster */
	int slots;                   /* of a cluster's node */
	const struct server *server;
	struct err *failed;          /* NULL, or why server says nothing */
};

/* A cluster, before its nodes. */
struct told_cluster {
	int unassigned;              /* slots that no node has */
	struct err *failed;          /* NULL, or why the nodes are not known: only the one that answered is looked at */
};

struct servers {
	/* Each returns less than 0, and says why in *e, to end it. */
	int (*cluster)(void *ctx, const struct told_cluster *t, struct err *e); /* only for a cluster */
	int (*each)(void *ctx, const struct told *t, struct err *e);
	void *ctx;
};

/* servers_each asks the server of c, which is open, and calls the functions. -1: as server_ask for that server, or what they say. */
int servers_each(struct conn *c, const struct servers *s, struct err *e);

#endif
