/* place: decides which address is tried next if the URL has several hosts, or Sentinels. The first round trip on each connection has
 * HELLO, and a connection to a server that is not a master is closed. If no host is a master, a replica of a cluster will do: it replies
 * MOVED. */
#ifndef DQ_PLACE_H
#define DQ_PLACE_H

#include <stdbool.h>

#include "redis/conn.h"

struct redisReply;

static inline bool place_has_choice(const struct url *u)
{
	return u->hosts.count > 0;
}

/* place_open connects to the master until wait->until. It first tries the host that was the master last, or the Sentinel that knew the
 * master. Then conf.url.server is the master, or a replica of a cluster; after a failure it is empty, and *e has the answer of each
 * server. DQ_UNAVAILABLE: none could be reached; DQ_TEMPORARY: some could, and none is a master; DQ_AUTH, DQ_CONFIG (also: no Sentinel
 * knows the master), DQ_INTERNAL: every server that could be reached has this error; DQ_STOPPED. */
int place_open(struct conn *c, const struct wait *wait, struct err *e);

/* place_is_wrong: does this reply mean that another server may do the call? Always false for a URL with one host, and in a cluster,
 * where such a reply is a refusal (refusal.h). */
bool place_is_wrong(const struct conn *c, const struct redisReply *reply);

#endif
