/* refusal: error replies that prove that a call did not run. They say to which server, or when, to
 * send it again. Pure. */
#ifndef DQ_REFUSAL_H
#define DQ_REFUSAL_H

#include "redis/slot.h"
#include "redis/url_hosts.h"

struct redisReply;

enum refusal {
	REFUSAL_NONE,     /* another error, or none */
	REFUSAL_NOSCRIPT, /* send it by EVAL */
	REFUSAL_MOVED,    /* send it there, and later calls for the slot */
	REFUSAL_ASK,      /* send only this call there, after ASKING */
	REFUSAL_LATER,    /* the server is loading: send it again */
	REFUSAL_MOVING,   /* the slot is being moved: likewise,
	                   * but calls for other slots are done */
	REFUSAL_LOST      /* the slot has no master, or this server is not its master: ask
	                   * for the master */
};

enum refusal refusal_of(const struct redisReply *reply);

/* refusal_is_of_a_cluster: does only a cluster send this reply? */
bool refusal_is_of_a_cluster(const struct redisReply *reply);

/* refusal_where reads MOVED or ASK SLOT HOST:PORT. An empty host, or "?", means the host that sent
 * the reply. -1: an invalid reply. */
int refusal_where(const struct redisReply *reply, unsigned *slot, struct url_host *out);

#endif
