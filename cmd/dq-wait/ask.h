/* ask: what has become of messages that dq-wait waits for. */
#ifndef DQ_WAIT_ASK_H
#define DQ_WAIT_ASK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/name.h"
#include "message/outcome.h"
#include "queue/queue.h"

/* Where hints.h has subscribed to it; shard NULL: nowhere. */
struct heard {
	const struct queue *shard;
	const struct subscription *by;
	unsigned opened; /* which opening of its connection */
};

struct wanted {
	struct name name;
	struct queue *queue; /* borrowed */
	bool there;          /* it was there, when it was asked for the last time */
	bool keeps;          /* and its outcome is to be kept */
	bool ended;
	bool hinted;         /* something has happened to it: ask */
	struct heard heard;
};

/* How a wanted message has ended. */
enum ending {
	ENDING_OUTCOME, /* there is an outcome */
	ENDING_GONE,    /* it was there, and is gone; its outcome was not to be kept */
	ENDING_LOST,    /* it was there, and its outcome was to be kept, but there is none */
	ENDING_UNKNOWN  /* it was not there, and has no outcome */
};

/* ask_each asks for those of the count messages that have not ended: all[some[i]], or, without
 * some, all[i]; for ASK_TOGETHER of them, from the given one on. All calls are sent before the
 * first reply is read. each gets one that has ended now, and its outcome (only of ENDING_OUTCOME;
 * its text is borrowed); less than 0 ends it with DQ_REPORTED. *at: the one that failed. */
#define ASK_TOGETHER 500
int ask_each(struct wanted *all, const size_t *some, size_t from, size_t count,
	     int (*each)(void *ctx, const struct wanted *w, enum ending how,
			 const struct outcome *o),
	     void *ctx, const struct wanted **at, struct err *e);

#endif
