#include "redis/replica.h"

#include <hiredis.h>
#include <string.h>

#include "redis/place.h"

int replica_ask(struct nodes *n, struct err *e)
{
	struct conn *c = &n->root.conn;
	static const char *const words[] = {"INFO", "replication", NULL};

	c->stale = NULL;
	return place_has_choice(&c->conf.url) ? 0 : conn_words(c, words, &c->stale, e);
}

void replica_heard(struct conn *c, const struct redisReply *reply)
{
	c->stale = NULL;
	if (reply->type != REDIS_REPLY_STRING || !strstr(reply->str, "\nmaster_link_status:down"))
		return;
	c->stale = strstr(reply->str, "\nmaster_sync_in_progress:1") ?
			   "a replica that is still copying its master: its data may be "
			   "old or missing" :
			   "a replica whose link to its master is down: its data may be "
			   "old or missing";
}

const char *replica_stale(const struct nodes *n)
{
	return n->cluster ? NULL : n->root.conn.stale;
}
