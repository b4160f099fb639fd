/* shutdown: how long a worker waits for Redis: for an answer, for a new connection while it is ending, and to settle what its
 * commands did. */
#ifndef DQ_SHUTDOWN_H
#define DQ_SHUTDOWN_H

#include <stdbool.h>
#include <stdint.h>

#include "pool.h"
#include "redis/conn.h"
#include "tool/reconnect.h"

struct shutdown {
	struct wait patient; /* when nothing is in a hurry */
	struct wait wait;    /* what shutdown_wait returned last */
	int64_t until;       /* clock_ms: while it is ending without a connection, it tries to connect until then; 0 = it is not */
	int64_t give_up_at;  /* clock_ms: what is not settled by then is abandoned; 0 = never */
};

void shutdown_init(struct shutdown *p, const struct conn_conf *conf);

/* shutdown_wait: for an exchange that begins now: it makes no KILL late, and goes on neither after a lease has ended nor past until. Holds
 * until the next call. */
const struct wait *shutdown_wait(struct shutdown *p, const struct pool *c);

/* shutdown_over: ends: the worker is ending. Once no command runs, it tries to connect for --timeout, and prints that once. true:
 * that time is over without a connection: what is not settled is abandoned now. */
bool shutdown_over(struct shutdown *p, struct session *l, const struct pool *c, bool ends);

/* shutdown_limit: it must end: from the first call on there is a short time to settle. shutdown_end: no time, if the connection is
 * lost and no command runs. */
void shutdown_limit(struct shutdown *p);
void shutdown_end(struct shutdown *p, const struct session *l, const struct pool *c);

bool shutdown_gives_up(const struct shutdown *p); /* is what is not settled to be abandoned? */

/* shutdown_time: clock_ms when something is to be done although nothing happens, INT64_MAX = never. connect_at as of pool_time. */
int64_t shutdown_time(const struct shutdown *p, const struct pool *c, int64_t connect_at);

#endif
