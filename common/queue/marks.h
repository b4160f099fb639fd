/* marks: those that a waiter has popped and holds (what they mean: lua/lib/wake.lua). A call to its queue
 * spends it, or it is returned to the tools that still wait. */
#ifndef DQ_MARKS_H
#define DQ_MARKS_H

#include <stdbool.h>
#include <stdint.h>

#include "queue/queue.h"

#define MARKS_GUARD 500 /* ms from a time to its guard; lua/lib/constants.lua mirrors it */

struct redisReply;

/* May the timer of a queue be lost, so that no tool wakes at its time? */
enum marks_doubt {
	MARKS_SURE,
	MARKS_NEW, /* perhaps: the tool that held it may have been killed before this one started */
	MARKS_LOST /* perhaps: a connection broke whose last answer may have been that timer */
};

struct marks {
	struct queue *queues;    /* borrowed */
	int count;
	const char *also;        /* a key of something else to wait for, or NULL; borrowed */
	int64_t *times;          /* server's ms, a queue each; HELD_NONE */
	int64_t *guards;         /* likewise */
	bool *open;              /* does the open wait include the guard? A queue each; set when the wait is opened */
	bool *ready;             /* something is ready, a queue each; the last is of `also` */
	enum marks_doubt *doubt; /* a queue each */
};

int marks_init(struct marks *m, struct queue *queues, int count); /* -1: memory */
void marks_free(struct marks *m);

/* marks_is: is this answer of BZPOPMIN a mark? marks_hold takes it: 1 if it means to look now, 0 if it is a time. That replaces one
 * that was held, and ends all doubt: there is one time that counts, and this is its mark. */
bool marks_is(const struct redisReply *reply);
int marks_hold(struct marks *m, const struct redisReply *reply);

/* marks_time: the earliest time or guard held (server's ms) of the queues from..to-1, -1 = none; 0 where something is known to be ready. */
int64_t marks_time(const struct marks *m, int from, int to);

/* marks_held: what the next call to that queue (take, promote) gives up (queue.h). marks_spend follows a call that succeeded; one
 * that found messages leaves the doubt, since a lost time is marked anew only for a tool that waits; one that found none leaves a
 * time that is still to come. now: server's ms. */
int64_t marks_held(const struct marks *m, int queue);
void marks_spend(struct marks *m, int queue, bool found, int64_t now);

/* marks_lists: is the wait to include that queue's guard? Not while this tool holds the time: another tool must hold the guard.
 * marks_lacks: is a guard missing in the open wait of the queues from..to-1? marks_pass gives back guards that were popped before their
 * time was. */
bool marks_lists(const struct marks *m, int queue);
bool marks_lacks(const struct marks *m, int from, int to);
int marks_pass(struct marks *m, const struct wait *wait, struct err *e);

/* marks_lose: an answer of BZPOPMIN is lost: it may have held a mark of any of the queues from..to-1. */
void marks_lose(struct marks *m, int from, int to);

/* marks_return gives all back; what could not be given back stays held. In a cluster it goes on with the other queues. */
int marks_return(struct marks *m, struct conn *conn, const struct wait *wait, struct err *e);

#endif
