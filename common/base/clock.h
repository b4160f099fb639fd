/* clock: the two clocks of a client. Deadlines use only the monotonic one. */
#ifndef DQ_CLOCK_H
#define DQ_CLOCK_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

int64_t clock_ms(void);  /* monotonic ms */
int64_t clock_us(void);  /* the same in us */
/* ms since 1970, to compare with the server's clock, which decides what is due */
int64_t clock_wall(void);
int64_t clock_wall_us(void); /* the same in us, for new ids */

/* clock_backoff: the pause (ms) before the next attempt, after a pause of that length (0 = none
 * yet): min at first, then twice the last pause, at most max. It is here, and reads no clock, so
 * that a test with its own clock needs no second one. */
static inline int64_t clock_backoff(int64_t pause, int64_t min, int64_t max)
{
	if (pause == 0)
		return min;
	return pause * 2 < max ? pause * 2 : max;
}

/* clock_sooner: the smaller of two times of the same clock, or of two lengths;
 * clock_later: the greater. */
static inline int64_t clock_sooner(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static inline int64_t clock_later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* The offset of another clock: what it shows (us) when clock_us is 0, as far as known.
 * Zero-initialise. */
struct clock_offset {
	int64_t us;
	bool known;
};

/* clock_compare learns from a reply with the other clock's time (theirs), which was read between
 * asked and now (clock_us). A quick reply gives the offset. A slow one gives only its bounds; if
 * nothing is known yet, the bound counts that delivers no message late. */
void clock_compare(struct clock_offset *o, int64_t theirs, int64_t asked, int64_t now);

/* clock_poll is poll(2) with an end in clock_us (-1 = none), exact to the us. It returns, and sets
 * errno, as poll does. */
int clock_poll(struct pollfd *fds, nfds_t n, int64_t until_us);

#endif
