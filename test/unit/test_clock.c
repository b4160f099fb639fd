#include "base/clock.h"
#include "unit.h"

#define MS INT64_C(1000)

/* A quick answer tells the offset, whatever was believed. */
static void quick(void)
{
	struct clock_offset o = {0};

	clock_compare(&o, 70000 * MS, 1000 * MS, 1002 * MS);
	check_int(o.us, 68999 * MS);
	clock_compare(&o, 90000 * MS, 2000 * MS, 2004 * MS);
	check_int(o.us, 87998 * MS);
}

/* A slow one was read at some time between: what is known stays, if it lies between its bounds,
 * else goes to the nearer one. */
static void slow(void)
{
	struct clock_offset o = {0};

	clock_compare(&o, 70000 * MS, 1000 * MS, 1000 * MS);
	clock_compare(&o, 71000 * MS, 2000 * MS, 5000 * MS);
	check_int(o.us, 69000 * MS);
	clock_compare(&o, 79000 * MS, 10000 * MS, 13000 * MS);
	check_int(o.us, 69000 * MS);
	clock_compare(&o, 90000 * MS, 20000 * MS, 20900 * MS);
	check_int(o.us, 69100 * MS);
	clock_compare(&o, 99000 * MS, 30010 * MS, 30100 * MS);
	check_int(o.us, 68990 * MS);
}

/* If nothing is known the message must not be late: its time comes early here. */
static void first_is_slow(void)
{
	struct clock_offset o = {0};

	clock_compare(&o, 70000 * MS, 1000 * MS, 4000 * MS);
	check_int(o.us, 69000 * MS);
	clock_compare(&o, 80000 * MS, 13000 * MS, 13001 * MS);
	check_int(o.us, 66999500);
}

int main(void)
{
	quick();
	slow();
	first_is_slow();
	return unit_end();
}
