/* pace: how many messages dq-take -f takes in one call without -n. The number grows while the reader keeps up, because a call costs as much
 * as several messages. Otherwise it is one, because the leases of unread messages run. */
#ifndef DQ_PACE_H
#define DQ_PACE_H

#include <stdbool.h>
#include <stddef.h>

/* Zero-initialise it: then count stays as it is set. */
struct pace {
	bool varies;
	int count; /* for the next call */
};

/* pace_update runs before the messages of a call are written. It checks whether the reader has read everything written before: records of
 * `each` bytes, 0 = none. more: another call would bring more. */
void pace_update(struct pace *p, bool more, size_t each);

#endif
