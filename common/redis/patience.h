/* patience: how long an exchange sends calls again that fail for now (conf.retry_for): connections
 * that are refused or lost, servers that are loading, busy or full, no master. It decides no more
 * than that: which calls may be sent again at all, calls.h and judge.h say. */
#ifndef DQ_PATIENCE_H
#define DQ_PATIENCE_H

#include "redis/nodes.h"

/* Zero-initialise, and set conf and nodes. A NULL instead of it: no patience. */
struct patience {
	const struct nodes *nodes;
	const struct conn_conf *conf; /* that of the root */
	int64_t quiet; /* ms for which nothing is said */
	int64_t since; /* clock_ms: when it began to try again; 0: all is well */
	bool said;     /* that was reported */
	int64_t over_at; /* clock_ms: when the end of the last time was reported */
	bool unsteady; /* it began again at once: it is over when a connection lasts */
	bool all;      /* no call could be sent, so any good reply ends it;
	                * else only that of a call that was tried again */
	/* Called once when it begins to try again, with the reason, and once when that is over,
	 * with NULL. NULL: nothing is said. */
	void (*say)(const struct patience *p, const struct err *e);
};

static inline bool patience_has(const struct patience *p)
{
	return p && p->conf->retry_for > 0;
}

/* patience_moving_until: until when (clock_ms) a call is sent again that was refused now, for the
 * first time, because a slot moves, a cluster is down, the nodes do not agree, or another server is
 * the master. p: NULL: for the time-out of the call. */
int64_t patience_moving_until(const struct patience *p, const struct call *call);

/* patience_lost_until: until when (clock_ms) a call is sent again whose connection is lost: for
 * retry_for, without patience for its time-out, and never after its wait.until. */
int64_t patience_lost_until(const struct patience *p, const struct call *call);

/* patience_limit: until when (clock_ms) node may reply to a call that was sent at from: at, which
 * is that of the call's time-out, or the end of the retry_for that the user named, since the node
 * failed first. */
int64_t patience_limit(const struct patience *p, const struct node *node, int64_t from,
		       int64_t at);

/* patience_until: until when (clock_ms) a call is sent again that is refused for now, at most its
 * wait.until; 0: no patience. The time counts from the first refusal, or loss, of that server on,
 * until it has done a call. */
int64_t patience_until(const struct patience *p, const struct call *call);

/* patience_pause: ms until a refused call is sent again: longer when the server has
 * refused for long. */
int64_t patience_pause(const struct patience *p, const struct call *call);

/* patience_tries: the call failed with *e, and is sent again. It is said if there is patience; in a
 * cluster without patience, too. */
void patience_tries(struct patience *p, struct call *call, const struct err *e);

/* patience_refused: its server refused it for now, with *e.
 * true: there is time to send it again. */
bool patience_refused(struct patience *p, struct call *call, const struct err *e);

/* patience_moves: a cluster refused it for now, with *e, and it is sent again. */
void patience_moves(struct patience *p, struct call *call, const struct err *e);

/* patience_answered: the call has its reply. */
void patience_answered(struct patience *p, struct call *call);

/* patience_again, after session_lost, is session_insist until wait.until.
 * It says that it tries, if there is patience. */
int patience_again(struct patience *p, struct session *s, const struct wait *wait, struct err *e);

/* patience_open is session_open for the first connection, that of the root, and tries for
 * conf.retry_for. *e is the last failure. */
int patience_open(struct patience *p, struct node *root, struct err *e);

#endif
