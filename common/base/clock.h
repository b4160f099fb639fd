/* clock: the two clocks a client may ask. Deadlines use the monotonic one only. */
#ifndef DQ_CLOCK_H
#define DQ_CLOCK_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

int64_t clock_ms(void);  /* monotonic ms */
int64_t clock_us(void);  /* the same in us */
int64_t clock_wall(void); /* ms since 1970, for new ids, and to compare the server's with: due times are its business */

/* clock_backoff: how long (ms) to pause before the next try, after a pause of so long (0 = none yet): min, then twice as long
 * each time, at most max. Here, for it asks no clock: a test that brings a clock of its own has no need of another of these. */
static inline int64_t clock_backoff(int64_t pause, int64_t min, int64_t max)
{
	if (pause == 0)
		return min;
	return pause * 2 < max ? pause * 2 : max;
}

/* clock_sooner: of two points of the same clock, or lengths, the lesser. */
static inline int64_t clock_sooner(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* What another clock shows when clock_us is 0 (us), as far as is known. Zero-initialise. */
struct clock_offset {
	int64_t us;
	bool known;
};

/* clock_compare learns from an answer that told the other clock (theirs): it was read between asked and now (clock_us). An answer
 * that was quick tells the offset; a slow one only its bounds, of which that one is taken, if nothing is known yet, by which
 * nothing is late. */
void clock_compare(struct clock_offset *o, int64_t theirs, int64_t asked, int64_t now);

/* clock_poll is poll(2) until a point of clock_us (-1 = for ever), exact to the us. What it returns and errno are poll's. */
int clock_poll(struct pollfd *fds, nfds_t n, int64_t until_us);

#endif
