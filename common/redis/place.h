/* place: which address is tried next, where a URL leaves a choice: several hosts, or Sentinels that know the master. The first round
 * trip on each has ROLE, and whatever is no master is left. */
#ifndef DQ_PLACE_H
#define DQ_PLACE_H

#include <stdbool.h>

#include "redis/conn.h"

struct redisReply;

static inline bool place_has_choice(const struct url *u)
{
	return u->hosts.count > 0;
}

/* place_open connects to a master, or fails for what each said, until wait->until: first to the host that was it last, or by the Sentinel
 * that knew it. conf.url.server is the one, or empty after a failure: DQ_UNAVAILABLE: none could be reached; DQ_TEMPORARY: some
 * could, and none is a master; DQ_AUTH, DQ_CONFIG (also: no Sentinel knows the master), DQ_INTERNAL: all that could be reached said
 * so; DQ_STOPPED. */
int place_open(struct conn *c, const struct wait *wait, struct err *e);

/* place_is_wrong: does this reply say that another server may do what this one did not? Never without a choice, nor in a
 * cluster, where that is a refusal (refusal.h). */
bool place_is_wrong(const struct conn *c, const struct redisReply *reply);

#endif
