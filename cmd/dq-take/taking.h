/* taking: the state of a dq-take under way, which taker and deliver share. */
#ifndef DQ_TAKING_H
#define DQ_TAKING_H

#include "options.h"
#include "pace.h"
#include "printer.h"
#include "queue/waiter.h"
#include "redis/session.h"
#include "stream.h"

struct taking {
	const struct options *options;
	struct conn *conn;
	struct queue *queues;
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

/* taking_reconnect: the server is unreachable or does not serve us now. -f waits for ever, -w until its deadline (clock_ms, -1 = none).
 * -1: *e is as it was, or as session_again says; DQ_SAID: t->session.status has it. */
int taking_reconnect(struct taking *t, int64_t deadline, struct err *e);

#endif
