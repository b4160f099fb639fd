/* link: keeps the one connection of a long-running tool: says once that it is lost, tries again with growing pauses, says that it
 * is back. */
#ifndef DQ_LINK_H
#define DQ_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "redis/conn.h"

struct link {
	struct conn *conn;
	int64_t connect_at;  /* clock_ms: when to try again */
	int64_t pause;       /* ms between tries; 0 = all is well */
	bool quiet;          /* say nothing of what comes and goes */
	enum status status;  /* not DQ_DONE: what will not pass by itself */
};

/* link_down: an exchange about object, a queue or a message (NULL: about none), failed with *e. The connection is closed (a new one
 * finds out better whatever it said). What is neither DQ_TEMPORARY nor DQ_UNAVAILABLE is said, and ends in status; DQ_STOPPED says
 * nothing of the server. */
void link_down(struct link *l, const char *object, const struct err *e);

/* link_up: may Redis be asked something now? Tries to connect when it is time; a signal that asks to stop ends the try. */
bool link_up(struct link *l);

/* link_again, after link_down, waits until Redis may be asked something: 0; or -1: the deadline (clock_ms, -1 = none) has
 * passed (*e is left as it is), a signal asks to stop (DQ_STOPPED), or what failed will not pass: DQ_SAID, and status has it. */
int link_again(struct link *l, int64_t deadline, struct err *e);

/* link_answered: an exchange was good. */
void link_answered(struct link *l);

#endif
