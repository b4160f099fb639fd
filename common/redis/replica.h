/* replica: is what this server has as its master has it? A replica whose link is down answers all the same, from old data or from none. */
#ifndef DQ_REPLICA_H
#define DQ_REPLICA_H

#include "redis/conn.h"

struct redisReply;

/* replica_ask sends INFO replication ahead of the next call, and waits for nothing: script_recv hears the reply first (replica_heard). Not
 * where only a master is spoken to (place.h). Errors as conn_send. */
int replica_ask(struct conn *c, struct err *e);
void replica_heard(struct conn *c, const struct redisReply *reply);

/* replica_stale: what is wrong with the data that was read since replica_ask; NULL: nothing, or the server does not say. (A replica in a
 * cluster sends its clients to its master.) */
const char *replica_stale(const struct conn *c);

#endif
