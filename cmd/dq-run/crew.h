/* crew: the slots of a worker together: who is free, when one needs something next, what to poll for them. */
#ifndef DQ_CREW_H
#define DQ_CREW_H

#include <poll.h>

#include "slot.h"

struct crew {
	struct slot *slots;
	int jobs;
};

/* crew_init: -1 when memory is out. kill_after: ms between TERM and KILL. */
int crew_init(struct crew *c, int jobs, int64_t kill_after);
void crew_free(struct crew *c);

int crew_busy(const struct crew *c); /* slots that are not free */
int crew_runs(const struct crew *c); /* commands that run still */
struct slot *crew_slot(struct crew *c); /* a free one, or NULL */

/* crew_time: clock_ms when a slot needs something although nothing happens, INT64_MAX = never. A verdict that waits for a connection
 * needs it at connect_at. */
int64_t crew_time(const struct crew *c, int64_t connect_at);

/* crew_hurry: ms until a lease ends or a KILL is due: no exchange may take longer. INT64_MAX = no hurry. */
int64_t crew_hurry(const struct crew *c);

/* crew_gather hands the status of each process that has ended to its slot; orphans of what ran have none, and just go. */
void crew_gather(struct crew *c);

/* crew_end ends all that runs. */
void crew_end(struct crew *c);

/* crew_polls lists the open pipes of the commands, at most two a slot, and returns how many: no closed ones, since poll(2) refuses
 * more entries than descriptors are allowed. crew_serve then moves what those entries are ready for. */
nfds_t crew_polls(const struct crew *c, struct pollfd *polls);
void crew_serve(struct crew *c, const struct pollfd *polls);

#endif
