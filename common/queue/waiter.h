/* waiter: waits for something to do in some queues without polling (the marks: lua/lib/wake.lua). BZPOPMIN blocks on a
 * connection of its own, or several (waits.h); times are kept here, since the server looks at its time-outs only ten times a second. Every
 * wait ends after some seconds: if a tool that holds a mark is killed, no message is later than that. */
#ifndef DQ_WAITER_H
#define DQ_WAITER_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "queue/queue.h"
#include "queue/waits.h"

#define WAITER_POLLS (WAITS_MAX + 1) /* at most, of waiter_polls */

struct waiter {
	struct waits waits;         /* waits.cap and waits.marks.also may be changed after waiter_init */
	struct clock_offset *offsets; /* of the server's clock, a queue each: those of a cluster differ; without one the first counts */
	int64_t give_up;            /* clock_us: where there is no wait: look at all queues now */
};

/* waiter_init borrows all it gets. -1: memory. */
int waiter_init(struct waiter *w, struct conn *conn, struct queue *queues, int count, int what, struct err *e);

/* waiter_held: what the next look at that queue has to give up (queue.h). waiter_looked is called after each look, with what it
 * said: the server's clock (us), and ours (clock_us) just before it was asked (-1: the answer was buffered, and says nothing of
 * clocks); found: it brought messages. What was held for that queue is spent. */
int64_t waiter_held(const struct waiter *w, int queue);
void waiter_looked(struct waiter *w, int queue, int64_t server_us, int64_t asked_us, bool found);

/* waiter_wants: is a call for that queue useful now? Always, except in a cluster, where each queue has its own wait. waiter_failed: a
 * call failed; the next one is useful soon. */
bool waiter_wants(const struct waiter *w, int queue);
void waiter_failed(struct waiter *w, int queue);

/* waiter_open makes sure that waits stand. waiter_polls lists what to poll for input, and returns how many; waiter_time is until when
 * (clock_us). waiter_read then says 1: look at the queues now, 0: not yet, -1: DQ_STOPPED, or DQ_INTERNAL for a nonsensical reply. A
 * failure of the connection for waiting is no error: the next look finds out whether the server answers, and until waiting works again
 * there are ten looks a second. */
int waiter_open(struct waiter *w, const struct wait *wait, struct err *e);
nfds_t waiter_polls(const struct waiter *w, struct pollfd polls[WAITER_POLLS]);
int64_t waiter_time(const struct waiter *w);
int waiter_read(struct waiter *w, const struct wait *wait, struct err *e);

/* waiter_rest ends the open waits and returns the marks they hold to the other waiting tools: to be called before work, and before
 * the end. No signal interrupts it: marks would be lost. -1: as conn.h, of a script connection. */
int waiter_rest(struct waiter *w, const struct wait *wait, struct err *e);

/* waiter_sleep waits until it is worth while to look (1), clock_us reaches until_us (0; -1 = never), or an error. also_fd, if not
 * -1, is polled for errors: if our output has lost its reader it returns 1. */
int waiter_sleep(struct waiter *w, int64_t until_us, int also_fd, const struct wait *wait, struct err *e);

/* waiter_lost forgets the connections for waiting of queues whose other connection is lost: both are opened anew after a failure. */
void waiter_lost(struct waiter *w);
void waiter_free(struct waiter *w);

#endif
