/* taker_state: what the modules of dq-take share. */
#ifndef DQ_TAKER_STATE_H
#define DQ_TAKER_STATE_H

#include "options.h"
#include "pace.h"
#include "printer.h"
#include "tool/withheld.h"
#include "waiting/rounds.h"
#include "redis/session.h"
#include "stream.h"

/* The state of dq-take. */
struct taker {
	const struct options *options;
	struct exchange *x;
	struct queue *wholes;   /* by name */
	struct rounds rounds;   /* of all their shards */
	struct stream stream;
	struct withheld withheld;
	struct printer printer;
	struct pace pace;
	size_t each;      /* bytes of a record of the last call */
	bool waits, more; /* more: the last round left messages ready, or (--until-empty) due */
	bool stuck;       /* the last round ended because the output took no more */
	/* a queue that it could not ask, because its slot is being moved, unless that was reported;
	 * NULL: none */
	const char *moving;
	struct err why;   /* of that */
	struct unsettled *unsettled; /* what is to be settled yet (unsettled.h) */
	bool unsure;      /* a reply was lost: messages that it leased are redelivered when
	                   * their leases end */
	int at, printed;  /* at: the shard of the last call */
	/* reader: wait for the reader of the output. began: it was waited for */
	bool reader, began;
	int unread;       /* messages written since it had read all */
	int64_t until_us; /* clock_us, -1 = without end: so long the first message, and room for it,
	                   * are waited for */
	int64_t failed_at; /* clock_ms: first failure since the last good call; 0: none */
	enum status status;
};

#endif
