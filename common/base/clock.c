#define _GNU_SOURCE /* ppoll, in POSIX since 2024 */
/* With 64-bit times on a 32-bit system the checked ppoll of glibc 2.36 passes a time-out of less
 * than a second as 0. */
#undef _FORTIFY_SOURCE
#include "base/clock.h"

#include <time.h>

static int64_t read_us(clockid_t which)
{
	struct timespec t;

	clock_gettime(which, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

int64_t clock_ms(void)
{
	return clock_us() / 1000;
}

int64_t clock_us(void)
{
	return read_us(CLOCK_MONOTONIC);
}

int64_t clock_wall(void)
{
	return clock_wall_us() / 1000;
}

int64_t clock_wall_us(void)
{
	return read_us(CLOCK_REALTIME);
}

#define QUICK_US 5000

void clock_compare(struct clock_offset *o, int64_t theirs, int64_t asked, int64_t now)
{
	int64_t least = theirs - now, most = theirs - asked;

	if (now - asked < QUICK_US)
		o->us = least + (most - least) / 2;
	else if (!o->known || o->us > most)
		o->us = most;
	else if (o->us < least)
		o->us = least;
	o->known = true;
}

int clock_poll(struct pollfd *fds, nfds_t n, int64_t until_us)
{
	int64_t left = until_us - clock_us();
	struct timespec t;

	if (until_us < 0)
		return ppoll(fds, n, NULL, NULL);
	if (left < 0)
		left = 0;
	t.tv_sec = (time_t)(left / 1000000);
	t.tv_nsec = (long)(left % 1000000) * 1000;
	return ppoll(fds, n, &t, NULL);
}
