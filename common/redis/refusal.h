/* refusal: the error replies that prove that a call did not run, and say who is to have it, or when. Pure. */
#ifndef DQ_REFUSAL_H
#define DQ_REFUSAL_H

#include "redis/slot.h"
#include "redis/url_hosts.h"

struct redisReply;

enum refusal {
	REFUSAL_NONE,     /* another error, or none */
	REFUSAL_NOSCRIPT, /* send it by EVAL */
	REFUSAL_MOVED,    /* send it there, and what follows */
	REFUSAL_ASK,      /* send this one there, behind ASKING */
	REFUSAL_LATER,    /* the slot is being moved, or the server starts: send it again */
	REFUSAL_LOST      /* the slot has no master, or this is none: ask again who is */
};

enum refusal refusal_of(const struct redisReply *reply);

/* refusal_is_of_a_cluster: does only a server of a cluster say that? */
bool refusal_is_of_a_cluster(const struct redisReply *reply);

/* refusal_where reads MOVED or ASK SLOT HOST:PORT. An empty host ("?" is one, too) is that of the server that answered. -1: it makes no
 * sense. */
int refusal_where(const struct redisReply *reply, unsigned *slot, struct url_host *out);

#endif
