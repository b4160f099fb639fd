/* deliver: what happens to messages that were taken: they are written, settled, or given back, also over a new connection. */
#ifndef DQ_DELIVER_H
#define DQ_DELIVER_H

#include "options.h"
#include "pace.h"
#include "printer.h"
#include "queue/shard_list.h"
#include "queue/waiter.h"
#include "redis/session.h"
#include "stream.h"

/* The state of dq-take. */
struct taker {
	const struct options *options;
	struct conn *conn;
	struct queue *wholes;   /* by name */
	struct shard_list list; /* of the shards of all queues */
	struct stream stream;
	struct printer printer;
	struct pace pace;
	size_t each;      /* bytes of a record of the last call */
	bool *known;      /* for each shard: it is known whether the queue exists, or that was asked */
	struct session session;
	struct waiter waiter;
	bool waits, more; /* more: the last round left messages ready, or (--until-empty) due */
	enum status away; /* not DQ_DONE: the last round could not ask all queues */
	bool unsure;      /* a reply was lost: messages that it leased are redelivered when their leases end */
	int at, printed;  /* at: the shard of the last call */
	enum status status;
};

/* deliver writes the messages taken last. With --ack it settles those that it wrote, so that a record is lost only if its reader loses it.
 * -1: t->status has the status. */
int deliver(struct taker *t, struct queue *q);

/* deliver_late: a signal came while a reply was expected; give its deliveries back. */
void deliver_late(struct taker *t, struct queue *q);

/* deliver_reconnect: the server is unreachable or does not serve us now. -f waits forever, -w until its deadline (clock_ms, -1 = none). -1:
 * *e is unchanged, or as from session_again; DQ_SAID: t->session.status has the status. */
int deliver_reconnect(struct taker *t, int64_t deadline, struct err *e);

#endif
