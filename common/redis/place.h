/* place: decides which address is tried next if the URL has several hosts, or Sentinels. The first
 * round trip on each connection has HELLO, and a connection to a server that is not a master is
 * closed. If no host is a master, a replica of a cluster will do: it replies MOVED. */
#ifndef DQ_PLACE_H
#define DQ_PLACE_H

#include <stdbool.h>

#include "redis/conn.h"

struct redisReply;

/* What is known about the hosts of a URL. Zero-initialise. */
struct place {
	int last;      /* index of the host that was the last master,
	                * or of the Sentinel that named it: tried first */
	bool any_node; /* it is a cluster: a replica will do, too */
};

static inline bool place_has_choice(const struct url *u)
{
	return u->hosts.count > 0;
}

/* place_open connects to the master until wait->until. It first tries the host that was the
 * master last, or the Sentinel that knew the master. Then conf.url.server is the master, or a
 * replica of a cluster; after a failure it is empty, and *e has the answer of each server.
 * DQ_UNAVAILABLE: none could be reached; DQ_TEMPORARY: some could, and none is a master; DQ_AUTH,
 * DQ_CONFIG (also: no Sentinel knows the master), DQ_INTERNAL: every server that could be reached
 * has this error; DQ_STOPPED. */
int place_open(struct conn *c, struct place *place, const struct wait *wait, struct err *e);

/* place_is_wrong: does this reply mean that another server may do the call? Always false for a URL
 * with one host. In a cluster such a reply is a refusal (refusal.h): do not ask. */
bool place_is_wrong(const struct conn *c, const struct redisReply *reply);

#endif
