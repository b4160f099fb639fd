/* pace: how many messages dq-take takes in a call, by the time that the reader of its output needs.
 * The leases of unread messages run, so it takes several only while these are read soon. It looks
 * at no clock, and at no pipe. */
#ifndef DQ_TAKE_PACE_H
#define DQ_TAKE_PACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PACE_SOON_US 5000

/* Zero-initialise it, and set varies and count. */
struct pace {
	bool varies;     /* else count stays as it is set */
	int count;       /* for the next call */
	int soon;        /* so many are read within PACE_SOON_US */
	int64_t read_at; /* us; of what was written before */
};

/* pace_read: the reader has read, by now (us), the n messages that were written last. The
 * time since it had read those before counts, with what it did meanwhile: reading alone would
 * take no time. */
void pace_read(struct pace *p, int n, int64_t now);

/* pace_waited: so many us of that time this tool waited for Redis. For a reader that is faster than
 * a far server they do not count. */
void pace_waited(struct pace *p, int64_t us);

/* pace_next sets count after a call, before its messages are written. more: another call would
 * bring more messages, of `each` bytes. */
void pace_next(struct pace *p, bool more, size_t each);

#endif
