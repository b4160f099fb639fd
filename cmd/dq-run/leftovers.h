/* leftovers: what processes write that outlive their commands: it is passed on while the worker
 * runs, so that none of them gets SIGPIPE because its command has ended. */
#ifndef DQ_LEFTOVERS_H
#define DQ_LEFTOVERS_H

#include <poll.h>

#include "child.h"

#define LEFTOVERS_MAX 64 /* commands; then the pipes of the oldest are closed */

struct leftover;
struct leftovers {
	struct leftover *all[LEFTOVERS_MAX]; /* the oldest first */
	int count;
};

/* leftovers_take takes the pipes of a command that child_reap has ended. Those that nobody holds
 * are closed. */
void leftovers_take(struct leftovers *l, struct child *c);

#define LEFTOVERS_POLLS (2 * LEFTOVERS_MAX)

/* leftovers_polls lists what to poll, and returns how many; leftovers_serve, after poll(2), passes
 * on some of what is ready. ready: has standard error room? */
nfds_t leftovers_polls(const struct leftovers *l, bool ready, struct pollfd *polls);
void leftovers_serve(struct leftovers *l, const struct pollfd *polls);
void leftovers_free(struct leftovers *l);

#endif
