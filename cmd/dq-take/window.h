/* window: how many calls dq-take has on their way at once. A near server replies before another
 * call would be of use. A far one would do nothing for most of the time. It looks at no clock. */
#ifndef DQ_TAKE_WINDOW_H
#define DQ_TAKE_WINDOW_H

#include <stdint.h>

#define WINDOW_MAX 16
/* if a reader has stopped for so long, what was asked for ahead is given back */
#define WINDOW_STALL_US 1000000
/* longer than a server works on a call: so other clients hardly wait for it */
#define WINDOW_EACH_US 2000

/* Zero-initialise it. */
struct window {
	int64_t least; /* us; the shortest time in which a reply came; 0: none came */
};

/* window_heard: the reply to a call was there us after the call. */
void window_heard(struct window *w, int64_t us);

/* window_size: so many calls: another one for every WINDOW_EACH_US of that time. */
int window_size(const struct window *w);

#endif
