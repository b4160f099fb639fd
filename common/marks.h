/* marks: those that a waiter has popped and holds (what they mean: lua/lib/wake.lua). Each is spent by a look at its queue, or
 * goes back to those who still wait. */
#ifndef DQ_MARKS_H
#define DQ_MARKS_H

#include <stdbool.h>
#include <stdint.h>

#include "queue.h"

struct redisReply;

struct marks {
	struct queue *queues;   /* borrowed */
	int count;
	const char *also;       /* a key of something else to wait for, or NULL; borrowed */
	int64_t *times;         /* server's ms, a queue each; -1 = none held */
	bool *ready;            /* something is ready, a queue each; the last is of `also` */
};

int marks_init(struct marks *m, struct queue *queues, int count); /* -1: memory */
void marks_free(struct marks *m);

/* marks_is: is this answer of BZPOPMIN a mark? marks_hold takes it: 1 if it means to look now, 0 if it is a time. */
bool marks_is(const struct redisReply *reply);
int marks_hold(struct marks *m, const struct redisReply *reply);

/* marks_time: the earliest time held (server's ms), -1 = none. */
int64_t marks_time(const struct marks *m);

/* marks_timed: is a time of that queue held? The next look (take, promote) is told so, and marks the next time itself: a mark
 * that came while an earlier one was held would be lost otherwise. marks_spend follows a look that went well. */
bool marks_timed(const struct marks *m, int queue);
void marks_spend(struct marks *m, int queue);

/* marks_return gives all back; what could not be given back stays held. */
int marks_return(struct marks *m, struct conn *conn, struct err *e);

#endif
