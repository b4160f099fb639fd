/* waiter: waits, without polling, until a call for one of its queues is useful (marks:
 * lua/lib/wake.lua). BZPOPMIN blocks on its own connection, or on several (waits.h). The client
 * keeps the times itself, because the server checks its timeouts only ten times a second. Every
 * wait ends after some seconds: if a tool that holds a mark is killed, messages are late by at
 * most that time. */
#ifndef DQ_WAITER_H
#define DQ_WAITER_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "queue/queue.h"
#include "waiting/waits.h"

#define WAITER_POLLS (WAITS_MAX + 1) /* at most, of waiter_polls */

struct waiter {
	struct waits waits;         /* waits.cap and waits.marks.also may be changed after
	                             * waiter_init */
	/* of the server's clock: in a cluster one per queue, else only the first counts */
	struct clock_offset *offsets;
	int64_t give_up;            /* clock_us: end of the pause without a wait;
	                             * then call for all queues */
};

/* waiter_init borrows all its arguments. -1: out of memory. */
int waiter_init(struct waiter *w, struct exchange *x, struct queue *queues, int count, int what,
		struct err *e);

/* waiter_held: the time that the next call for that queue releases (queue.h). */
struct held waiter_held(const struct waiter *w, int queue);

/* Call waiter_called after each call, with the server's clock from the reply (us) and our clock_us
 * just before the call was sent (-1: the reply was buffered: do not use it for the clock offset).
 * found: the call brought messages. That releases the marks held for that queue. For
 * waits.marks.also pass the queue number waits.marks.count. */
void waiter_called(struct waiter *w, int queue, int64_t server_us, int64_t asked_us, bool found);

/* waiter_wants: true if a call for that queue is useful now. Always true, except in a cluster,
 * where each queue has its own wait. */
bool waiter_wants(const struct waiter *w, int queue);

/* waiter_spared: no call for that queue is made now,
 * and the caller knows when to make the next one. */
void waiter_spared(struct waiter *w, int queue);

/* waiter_failed: a call failed; the next one is useful soon.
 * For waits.marks.also pass waits.marks.count, as above. */
void waiter_failed(struct waiter *w, int queue);

/* waiter_open opens the waits that are not open. A failure of a waiting connection is not an error:
 * the next call finds out whether the server replies. Until waiting works again, there are ten
 * calls a second. */
int waiter_open(struct waiter *w, const struct wait *wait, struct err *e);

/* waiter_polls fills in what to poll for input, and returns the number. */
nfds_t waiter_polls(const struct waiter *w, struct pollfd polls[WAITER_POLLS]);

/* waiter_time: the end of the wait (clock_us). */
int64_t waiter_time(const struct waiter *w);

/* waiter_read, after poll, returns 1: call for the queues now; 0: not yet; -1: DQ_STOPPED, or
 * DQ_INTERNAL for an invalid reply. */
int waiter_read(struct waiter *w, const struct wait *wait, struct err *e);

/* waiter_rest ends the open waits and returns their marks to the other waiting tools. Call it
 * before work, and before the tool ends. No signal interrupts it, because marks would be lost.
 * -1: as conn.h, of a script connection. */
int waiter_rest(struct waiter *w, const struct wait *wait, struct err *e);

/* waiter_end does the same before waiter_free, where another waiter takes over its queues. In
 * a cluster, marks of an unreachable node are given up: the first calls of the next waiter
 * set them again. */
int waiter_end(struct waiter *w, const struct wait *wait, struct err *e);

/* waiter_sleep waits until a call is useful (1) or clock_us reaches until_us (0; -1 = never), or
 * fails. It polls also_fd for errors, if that is not -1, and returns 1 if the reader of our
 * output is gone. */
int waiter_sleep(struct waiter *w, int64_t until_us, int also_fd, const struct wait *wait,
		 struct err *e);

/* waiter_lost closes the waiting connections of queues whose script connection is lost. Both are
 * opened again after a failure. */
void waiter_lost(struct waiter *w);
void waiter_free(struct waiter *w);

#endif
