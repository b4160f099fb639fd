/* shutdown: how long a worker waits for Redis: for an answer, for a lost connection once it is to end, and for verdicts that it
 * cannot bring. */
#ifndef DQ_SHUTDOWN_H
#define DQ_SHUTDOWN_H

#include <stdbool.h>
#include <stdint.h>

#include "pool.h"
#include "redis/conn.h"
#include "tool/link.h"

struct shutdown {
	struct wait patient; /* when nothing is in a hurry */
	int64_t until;      /* clock_ms: it is to end, Redis is away, and is tried until then; 0 = otherwise */
	int64_t give_up_at; /* clock_ms: verdicts not brought by then are left; 0 = never */
};

void shutdown_init(struct shutdown *p, const struct conn_conf *conf);

/* shutdown_wait: of an exchange that is to make no KILL late, nor go on after a lease has ended or past until. */
struct wait shutdown_wait(const struct shutdown *p, const struct pool *c);

/* shutdown_over: ends says that the worker is to. From then on, once no command runs, a Redis that is away is tried for
 * --timeout, which is said once. true: it stayed away, and verdicts are to be left now. */
bool shutdown_over(struct shutdown *p, struct session *l, const struct pool *c, bool ends);

/* shutdown_limit: it must end: a short time for verdicts, from the first call on. shutdown_end: they are left now if the
 * connection is lost and no command runs. */
void shutdown_limit(struct shutdown *p);
void shutdown_end(struct shutdown *p, const struct session *l, const struct pool *c);

bool shutdown_gives_up(const struct shutdown *p); /* are verdicts to be left? */

/* shutdown_time: clock_ms when something is to be done although nothing happens, INT64_MAX = never. connect_at as of pool_time. */
int64_t shutdown_time(const struct shutdown *p, const struct pool *c, int64_t connect_at);

#endif
