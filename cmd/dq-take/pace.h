/* pace: how many messages dq-take -f asks for at once without -n. While its reader keeps up, more and more, since each call costs as
 * much as several messages. Else one: what is taken and not read has a lease that runs. */
#ifndef DQ_PACE_H
#define DQ_PACE_H

#include <stdbool.h>
#include <stddef.h>

/* Zero-initialise: then count stays as it is set. */
struct pace {
	bool varies;
	int count; /* for the next call */
};

/* pace_look looks, before what came by a call is written, whether the reader has read all that was written before: records of so many
 * bytes each, 0 = none. more: another call would bring more. */
void pace_look(struct pace *p, bool more, size_t each);

#endif
