#include "dq-take/window.h"
#include "unit.h"

static int after(int64_t us)
{
	struct window w = {.least = 0};

	window_heard(&w, us);
	return window_size(&w);
}

static void grows_with_the_way(void)
{
	struct window w = {.least = 0};

	check_int(window_size(&w), 1); /* it is not known yet */
	check_int(after(0), 1);
	check_int(after(800), 1);
	check_int(after(1999), 1);
	check_int(after(2000), 2);
	check_int(after(20700), 11);
	check_int(after(1000000), WINDOW_MAX);
}

/* A busy server is no far one. */
static void only_the_shortest_counts(void)
{
	struct window w = {.least = 0};

	window_heard(&w, 20700);
	window_heard(&w, 900);
	window_heard(&w, 30000);
	check_int(window_size(&w), 1);
}

int main(void)
{
	grows_with_the_way();
	only_the_shortest_counts();
	return unit_end();
}
