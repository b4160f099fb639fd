/* subscription: one more connection to a server, on which we hear what is published on channels
 * (SSUBSCRIBE). It takes no other calls. In a cluster the channels of a slot are on the node that
 * has the slot. */
#ifndef DQ_SUBSCRIPTION_H
#define DQ_SUBSCRIPTION_H

#include "redis/session.h"

/* channels of one subscription_add; fewer than CONN_PENDING_MAX */
#define SUBSCRIPTION_TOGETHER 200

struct subscription {
	struct conn conn;
	struct session session; /* of it */
	char name[CONN_NAME];   /* the tool's, and -hints */
	unsigned expects;       /* in this opening of conn the next message is expected
	                         * (conn_expect) */
	bool refused;           /* subscriptions are not allowed here */
	/* Something was published on the channel. over: no;
	 * but the subscription has ended, because the slot moved. */
	void (*hear)(void *ctx, const char *channel, size_t len, bool over);
	void *ctx;
};

/* subscription_init: to the server of `by`. */
void subscription_init(struct subscription *s, const struct conn *by,
		       void (*hear)(void *ctx, const char *channel, size_t len, bool over),
		       void *ctx);
void subscription_close(struct subscription *s);

/* subscription_up opens the connection if it is closed and the next attempt is due. Then all
 * channels must be added again. 1: it is open. 0: not now. -1: DQ_STOPPED. */
int subscription_up(struct subscription *s, const struct wait *wait, struct err *e);

/* subscription_add adds channels. made: which of them; a refusal that passes, or points to another
 * node, is no error. Returns as subscription_up. */
int subscription_add(struct subscription *s, const char *const channels[], bool made[],
		     size_t count, const struct wait *wait, struct err *e);

/* subscription_read passes on what has arrived; it never waits. */
void subscription_read(struct subscription *s);

/* What to poll. -1: the connection is closed. */
int subscription_fd(const struct subscription *s);
short subscription_events(const struct subscription *s);

#endif
