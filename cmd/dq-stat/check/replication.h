/* replication: what a failover would lose: the replicas of a master,
 * and the view of its Sentinels. */
#ifndef DQ_REPLICATION_H
#define DQ_REPLICATION_H

#include "redis/server_info.h"
#include "report.h"

/* replication_judge reports on the replicas of a master, if it has any. Pure.
 * Returns 0, or -1 if out of memory. */
int replication_judge(struct report *f, const struct server *s);

/* replication_ask asks each Sentinel of the URL, if it names any, for the master and whether it
 * could be replaced. c is the connection to the master, open or closed. Returns 0, or
 * -1: DQ_STOPPED, DQ_TEMPORARY (out of memory). */
int replication_ask(struct report *f, const struct conn_conf *conf, struct err *e);

#endif
