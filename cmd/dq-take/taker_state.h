/* taker_state: what the modules of dq-take share. */
#ifndef DQ_TAKER_STATE_H
#define DQ_TAKER_STATE_H

#include "options.h"
#include "pace.h"
#include "printer.h"
#include "queue/shard_list.h"
#include "queue/unfit.h"
#include "waiting/waiter.h"
#include "redis/session.h"
#include "stream.h"

/* The state of dq-take. */
struct taker {
	const struct options *options;
	struct exchange *x;
	struct queue *wholes;   /* by name */
	struct shard_list list; /* of the shards of all queues */
	struct unfit unfit;     /* which of the wholes */
	struct stream stream;
	struct printer printer;
	struct pace pace;
	size_t each;      /* bytes of a record of the last call */
	bool *known;      /* for each shard: it is known whether the queue exists, or that was asked */
	bool *paused;     /* for each shard: the queue was paused at the last call */
	struct waiter waiter;
	bool waits, more; /* more: the last round left messages ready, or (--until-empty) due */
	enum status missed; /* not DQ_DONE: the last round could not ask all queues */
	int moving;       /* number, from 1 on, of one of them whose slot is being moved, unless it was reported; 0: none */
	struct err why;   /* of that */
	struct late *late; /* what is to be settled yet (late.h) */
	bool unsure;      /* a reply was lost: messages that it leased are redelivered when their leases end */
	int at, printed;  /* at: the shard of the last call */
	bool reader, began; /* reader: wait for the reader of the output. began: it was waited for */
	int unread;       /* messages written since it had read all */
	int64_t until_us; /* clock_us, -1 = without end: so long the first message, and room for it, are waited for */
	enum status status;
};

#endif
