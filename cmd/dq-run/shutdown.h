/* shutdown: how long a worker waits for Redis: for a reply, for a new connection while it ends, and
 * for settling its commands. A second signal sets a limit, for an exchange under way, too. */
#ifndef DQ_SHUTDOWN_H
#define DQ_SHUTDOWN_H

#include <stdbool.h>
#include <stdint.h>

#include "pool.h"
#include "redis/exchange.h"
#include "tool/reconnect.h"

struct shutdown {
	struct exchange *x;  /* borrowed, with the meanwhile of its connection */
	struct wait patient; /* for an exchange without a limit */
	struct wait wait;    /* the last result of shutdown_wait */
	int64_t until;       /* clock_ms: limit for a new connection while the worker ends;
	                      * 0 = none */
	bool stopped;        /* shutdown_over has been told so */
	int64_t give_up_at;  /* clock_ms: verdicts that are not settled by then are abandoned;
	                      * 0 = never */
};

void shutdown_init(struct shutdown *p, struct exchange *x);

/* shutdown_wait returns the wait for an exchange that begins now. It makes no KILL late, and ends
 * at the end of a lease, at until and at give_up_at. Valid until the next call. */
const struct wait *shutdown_wait(struct shutdown *p, const struct pool *c);

/* shutdown_over: ends: the worker is ending, or ends by itself; stopped: for a reason of its own.
 * If no command runs, the worker tries to connect, or waits for a slot, for --timeout, or
 * --retry-for if it is not stopped, and that is longer or no verdict waits, and prints that once.
 * True: that time has passed in vain: verdicts that are not settled are abandoned now; if there are
 * none, it printed why the worker ends. */
bool shutdown_over(struct shutdown *p, const struct pool *c, bool ends, bool stopped);

/* shutdown_limit: the worker must end: from the first call on it has a short time to settle. */
void shutdown_limit(struct shutdown *p);

/* shutdown_end: after a second signal the worker has that time, or none if the connection is lost,
 * or a slot is being moved, and no command runs. An exchange under way ends then, too, or at the
 * KILL of a command. */
void shutdown_end(struct shutdown *p, const struct pool *c);

/* are verdicts that are not settled to be abandoned? */
bool shutdown_gives_up(const struct shutdown *p);

/* shutdown_time: clock_ms when the worker must act even without an event, INT64_MAX = never.
 * connect_at is as in pool_time. */
int64_t shutdown_time(const struct shutdown *p, const struct pool *c, int64_t connect_at);

#endif
