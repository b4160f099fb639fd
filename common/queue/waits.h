/* waits: the open BZPOPMINs of a waiter: one for all its queues. In a cluster BZPOPMIN takes keys of one slot only: there each queue has
 * one, on a connection of its own to the node of that queue; with more than WAITS_MAX queues there is none. */
#ifndef DQ_WAITS_H
#define DQ_WAITS_H

#include "queue/block.h"
#include "queue/marks.h"

#define WAITS_MAX 64
#define WAITS_POLL_MS INT64_C(100) /* between looks if blocking is not allowed, or not possible now */

enum waiter_for {
	WAITER_READY = 1, /* something ready to be taken */
	WAITER_TIME = 2   /* something due to be moved */
};

struct waits_one {
	struct block block;
	int from, to;    /* its queues; both are marks.count: it waits for marks.also only */
	int64_t give_up; /* clock_us: the server should have answered by now */
	bool look;       /* at these queues, as soon as possible */
};

struct waits {
	struct conn *conn;     /* the one for scripts, or the root of the nodes */
	struct waits_one *all;
	int count;
	int what;              /* enum waiter_for, ORed; 0: it will not wait */
	int64_t cap;           /* ms: a wait ends after that, or up to a fifth more */
	bool arranged;
	struct marks marks;    /* what we hold; marks.also may be set to one more key to wait for */
};

/* waits_arrange creates the waits, when it is known whether this is a cluster. Open waits are closed, as by waits_lose. -1: memory. */
int waits_arrange(struct waits *w, struct err *e);

/* waits_follow moves each wait to the server on which the scripts of its queues run: CLIENT UNBLOCK needs the same server, because
 * another server has other client ids. waits_strays: is this wait on another server? */
void waits_follow(struct waits *w);
bool waits_strays(const struct waits *w, const struct waits_one *x);

/* waits_open makes sure that the wait stands, unless it is not possible now: then give_up is soon. -1: DQ_STOPPED, or a withdrawal that
 * failed. */
int waits_open(struct waits *w, struct waits_one *x, const struct wait *wait, struct err *e);

/* waits_withdraw ends the wait, if it is open; waits_withdraw_all ends all. Marks that they popped are held. waits_lose closes the
 * connection of the wait; marks that it may have popped count as lost. waits_troubled does the same after an error *e of waiting. */
int waits_withdraw(struct waits *w, struct waits_one *x, const struct wait *wait, struct err *e);
int waits_withdraw_all(struct waits *w, const struct wait *wait, struct err *e);
void waits_lose(struct waits *w, struct waits_one *x);
void waits_troubled(struct waits *w, struct waits_one *x, const struct err *e);

/* waits_by: the connection for scripts of its queues. */
struct conn *waits_by(const struct waits *w, const struct waits_one *x);

void waits_free(struct waits *w);

#endif
