/* deliver: what becomes of messages that were taken: written, settled, or given back, also over a new connection. */
#ifndef DQ_DELIVER_H
#define DQ_DELIVER_H

#include "options.h"
#include "pace.h"
#include "printer.h"
#include "queue/shard_list.h"
#include "queue/waiter.h"
#include "redis/session.h"
#include "stream.h"

/* What dq-take has at hand. */
struct taker {
	const struct options *options;
	struct conn *conn;
	struct queue *wholes;   /* by name */
	struct shard_list list; /* of them */
	struct stream stream;
	struct printer printer;
	struct pace pace;
	size_t each;      /* bytes of a record of the last call */
	bool *known;      /* queues of which we know whether they exist, or have asked */
	struct session session;
	struct waiter waiter;
	bool waits, more; /* more: the last round left something ready, or (--until-empty) due */
	enum status away; /* not DQ_DONE: the last round could not ask all queues */
	bool unsure;      /* a reply was lost: messages that it leased are redelivered when their leases end */
	int at, printed;  /* at: the queue of the last call */
	enum status status;
};

/* deliver writes what was taken last. With --ack what was written is settled, so that a record is lost only if its reader loses it. -1:
 * t->status has it. */
int deliver(struct taker *t, struct queue *q);

/* deliver_late: a signal came while a reply was expected; its deliveries are given back. */
void deliver_late(struct taker *t, struct queue *q);

/* deliver_reconnect: the server is unreachable or does not serve us now. -f waits for ever, -w until its deadline (clock_ms, -1 = none).
 * -1: *e is as it was, or as session_again says; DQ_SAID: t->session.status has it. */
int deliver_reconnect(struct taker *t, int64_t deadline, struct err *e);

#endif
