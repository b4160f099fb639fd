/* marks: the marks that a waiter has popped and holds (lua/lib/wake.lua says what they mean). A
 * call to the mark's queue releases it; else the waiter returns it to the tools that still wait. */
#ifndef DQ_MARKS_H
#define DQ_MARKS_H

#include <stdbool.h>
#include <stdint.h>

#include "queue/queue.h"

#define NOT_HELD (-1)
#define MARKS_GUARD 500 /* ms from a time to its guard; in lua/lib/constants.lua, too */

struct redisReply;

/* Doubt whether the timer mark of a queue is lost. Without it no tool wakes at its time. */
enum marks_doubt {
	MARKS_SURE,
	MARKS_NEW, /* perhaps lost: the tool that held it may have been killed before
	            * this tool started */
	MARKS_LOST /* perhaps lost: a connection broke, and the lost reply may have had it */
};

struct marks {
	struct queue *queues;    /* borrowed */
	int count;
	const char *also;        /* a key of something else to wait for, or NULL; borrowed */
	int64_t *times;          /* server's ms, one per queue; NOT_HELD */
	int64_t *guards;         /* server's ms, one per queue; NOT_HELD */
	bool *open;              /* one per queue, set when the wait is opened: does the wait
	                          * include the guard? */
	bool *ready;             /* one per queue: a message is ready; the last one is for `also` */
	enum marks_doubt *doubt; /* one per queue */
};

int marks_init(struct marks *m, struct queue *queues, int count); /* -1: memory */
void marks_free(struct marks *m);

/* marks_is: true if this reply of BZPOPMIN is a mark. */
bool marks_is(const struct redisReply *reply);

/* marks_hold takes the mark: 1 if the tool should call now, 0 if the mark has a time. That time
 * replaces the one held before and ends all doubt, because a queue has only one valid time mark. */
int marks_hold(struct marks *m, const struct redisReply *reply);

/* marks_time: the earliest time or guard held (server's ms) for the queues from..to-1; -1 = none; 0
 * if a message is known to be ready. */
int64_t marks_time(const struct marks *m, int from, int to);

/* marks_held: the time that the next call to that queue (take, promote) releases (queue.h). Call
 * marks_release after a call that succeeded. If the call found messages, the doubt remains, because
 * a lost time gets a new mark only for a tool that waits. If it found none, a time in the future
 * stays held. now: server's ms. */
struct held marks_held(const struct marks *m, int queue);
void marks_release(struct marks *m, int queue, bool found, int64_t now);

/* marks_lists: true if the wait should include that queue's guard. It should not while this tool
 * holds the time: another tool must hold the guard. */
bool marks_lists(const struct marks *m, int queue);

/* marks_lacks: true if the open wait of the queues from..to-1 lacks a guard. */
bool marks_lacks(const struct marks *m, int from, int to);

/* marks_pass returns guards that were popped before the time mark was. */
int marks_pass(struct marks *m, const struct wait *wait, struct err *e);

/* marks_lose: a reply of BZPOPMIN is lost. It may have had a mark of any of the queues
 * from..to-1. */
void marks_lose(struct marks *m, int from, int to);

/* marks_return returns all marks; those that it could not return stay held. In a cluster, after a
 * failure, it continues with the other queues. */
int marks_return(struct marks *m, struct exchange *x, const struct wait *wait, struct err *e);

#endif
