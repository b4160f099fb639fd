/* marks: those that a waiter has popped and holds (what they mean: lua/lib/wake.lua). Each is spent by a look at its queue, or
 * goes back to those who still wait. */
#ifndef DQ_MARKS_H
#define DQ_MARKS_H

#include <stdbool.h>
#include <stdint.h>

#include "queue/queue.h"

#define MARKS_GUARD 500 /* ms from a time to its guard; lua/lib/wake.lua mirrors it */

struct redisReply;

/* May a time be nowhere? Whoever kept it was killed, perhaps, before we came; or it went with our connection. */
enum marks_doubt { MARKS_SURE, MARKS_NEW, MARKS_LOST };

struct marks {
	struct queue *queues;   /* borrowed */
	int count;
	const char *also;       /* a key of something else to wait for, or NULL; borrowed */
	int64_t *times;         /* server's ms, a queue each; HELD_NONE */
	int64_t *guards;        /* likewise */
	bool *open;             /* does the wait stand for the guard, too? A queue each; whoever opens it says so */
	bool *ready;            /* something is ready, a queue each; the last is of `also` */
	enum marks_doubt *doubt; /* a queue each */
};

int marks_init(struct marks *m, struct queue *queues, int count); /* -1: memory */
void marks_free(struct marks *m);

/* marks_is: is this answer of BZPOPMIN a mark? marks_hold takes it: 1 if it means to look now, 0 if it is a time. That replaces one
 * that was held, and ends all doubt: there is one time that counts, and this is its mark. */
bool marks_is(const struct redisReply *reply);
int marks_hold(struct marks *m, const struct redisReply *reply);

/* marks_time: the earliest time or guard held (server's ms), -1 = none; 0 where something is known to be ready. */
int64_t marks_time(const struct marks *m);

/* marks_held: what the next look at that queue (take, promote) gives up (queue.h). marks_spend follows a look that went well; one
 * that found messages leaves the doubt, since only who is to wait marks a lost time anew; one that did not leaves a time that is
 * still to come. now: server's ms. */
int64_t marks_held(const struct marks *m, int queue);
void marks_spend(struct marks *m, int queue, bool found, int64_t now);

/* marks_lists: is the wait to stand for that queue's guard? Whoever keeps the time must not keep the guard, too. marks_lacks: is
 * there one for which it is to, and does not? marks_pass gives those back that were popped before their time was. */
bool marks_lists(const struct marks *m, int queue);
bool marks_lacks(const struct marks *m);
int marks_pass(struct marks *m, const struct wait *wait, struct err *e);

/* marks_lose: an answer of BZPOPMIN is lost, and may have been a mark of any queue. */
void marks_lose(struct marks *m);

/* marks_return gives all back; what could not be given back stays held. */
int marks_return(struct marks *m, struct conn *conn, const struct wait *wait, struct err *e);

#endif
