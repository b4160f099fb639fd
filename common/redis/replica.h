/* replica: checks whether a replica's data is current. A replica whose link to its master is down
 * still replies, with old data or none. */
#ifndef DQ_REPLICA_H
#define DQ_REPLICA_H

#include "redis/nodes.h"

struct redisReply;

/* replica_ask sends INFO replication before the next call, without waiting. that reply comes
 * first (replica_heard). It sends nothing if the connection accepts only a master (place.h).
 * Errors as conn_send. */
int replica_ask(struct nodes *n, struct err *e);
void replica_heard(struct conn *c, const struct redisReply *reply);

/* replica_stale: why the data read since replica_ask may be old; NULL: it is current, or the server
 * does not say. (A replica in a cluster sends its clients to its master.) */
const char *replica_stale(const struct nodes *n);

#endif
