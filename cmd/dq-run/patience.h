/* patience: how long a worker waits for Redis: for an answer, for a lost connection once it is to end, and for verdicts that it
 * cannot bring. */
#ifndef DQ_PATIENCE_H
#define DQ_PATIENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "crew.h"
#include "redis/conn.h"
#include "tool/link.h"

struct patience {
	int64_t timeout, connect_timeout; /* of the connection, when nothing is in a hurry */
	int64_t until;      /* clock_ms: it is to end, Redis is away, and is tried until then; 0 = otherwise */
	int64_t give_up_at; /* clock_ms: verdicts not brought by then are left; 0 = never */
};

void patience_init(struct patience *p, const struct conn_conf *conf);

/* patience_hurry sets the timeouts so that no exchange makes a KILL late, or goes on after a lease has ended or past until. */
void patience_hurry(const struct patience *p, const struct crew *c, struct conn_conf *conf);

/* patience_over: ends says that the worker is to. From then on, once no command runs, a Redis that is away is tried for
 * --timeout, which is said once. true: it stayed away, and verdicts are to be left now. */
bool patience_over(struct patience *p, struct link *l, const struct crew *c, bool ends);

/* patience_limit: it must end: a short time for verdicts, from the first call on. patience_end: they are left now if the
 * connection is lost and no command runs. */
void patience_limit(struct patience *p);
void patience_end(struct patience *p, const struct link *l, const struct crew *c);

bool patience_gives_up(const struct patience *p); /* are verdicts to be left? */

/* patience_time: clock_ms when something is to be done although nothing happens, INT64_MAX = never. connect_at as of crew_time. */
int64_t patience_time(const struct patience *p, const struct crew *c, int64_t connect_at);

#endif
