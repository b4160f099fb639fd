#include "clock.h"

#include <time.h>

static int64_t read_ms(clockid_t which)
{
	struct timespec t;

	clock_gettime(which, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int64_t clock_ms(void)
{
	return read_ms(CLOCK_MONOTONIC);
}

int64_t clock_wall(void)
{
	return read_ms(CLOCK_REALTIME);
}
