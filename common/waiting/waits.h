/* waits: the open BZPOPMINs of a waiter. Usually one serves all its queues. In a cluster BZPOPMIN
 * accepts keys of one slot only: there each queue has its own BZPOPMIN, on its own connection to
 * the queue's node. With more than WAITS_MAX queues there is none. */
#ifndef DQ_WAITS_H
#define DQ_WAITS_H

#include "waiting/block.h"
#include "waiting/marks.h"

#define WAITS_MAX 64
/* between calls if blocking is not allowed, or not possible now */
#define WAITS_POLL_MS INT64_C(100)

enum waiter_for {
	WAITER_READY = 1, /* wake when a message is ready */
	WAITER_TIME = 2   /* wake when a message is due and must be promoted */
};

struct waits_one {
	struct block block;
	int from, to;    /* its queues; if both are marks.count, it waits for marks.also only */
	int64_t give_up; /* clock_us: deadline for the server's reply */
	bool call_now;   /* call for these queues as soon as possible */
};

struct waits {
	struct exchange *x;    /* for scripts */
	struct waits_one *all;
	int count;
	int what;              /* enum waiter_for, ORed; 0: it will not wait */
	int64_t cap;           /* ms: a wait ends after that, or up to a fifth more */
	bool arranged;
	struct marks marks;    /* marks held; marks.also may be set to one more key to wait for */
};

/* waits_arrange creates the waits once it is known whether this is a cluster. It closes open waits
 * as waits_lose does. -1: out of memory. */
int waits_arrange(struct waits *w, struct err *e);

/* waits_follow moves each wait to the server that runs the scripts of its queues. CLIENT UNBLOCK
 * needs the same server, because each server has its own client ids. */
void waits_follow(struct waits *w);

/* waits_strays: true if this wait is on another server. */
bool waits_strays(const struct waits *w, const struct waits_one *x);

/* waits_open opens the wait unless it is open. If that is not possible now, give_up is set to a
 * time soon. -1: DQ_STOPPED, or a withdrawal that failed. */
int waits_open(struct waits *w, struct waits_one *x, const struct wait *wait, struct err *e);

/* waits_withdraw ends the wait if it is open; waits_withdraw_all ends all. Marks that they popped
 * are held. waits_lose closes the connection of the wait; marks that it may have popped count as
 * lost. waits_troubled does that after the wait failed with *e. */
int waits_withdraw(struct waits *w, struct waits_one *x, const struct wait *wait, struct err *e);
int waits_withdraw_all(struct waits *w, const struct wait *wait, struct err *e);
void waits_lose(struct waits *w, struct waits_one *x);
void waits_troubled(struct waits *w, struct waits_one *x, const struct err *e);

/* waits_by: the node for the scripts of its queues. */
struct node *waits_by(const struct waits *w, const struct waits_one *x);

void waits_free(struct waits *w);

#endif
