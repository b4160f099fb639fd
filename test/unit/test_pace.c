#include <limits.h>

#include "dq-take/pace.h"
#include "unit.h"

/* Messages of 100 bytes, each of which takes the reader so long; more are always there. */
static int after(struct pace *p, int calls, int64_t us_each)
{
	for (int i = 0; i < calls; i++) {
		int n = p->count;
		pace_read(p, n, p->read_at + n * us_each);
		pace_next(p, true, 100);
	}
	return p->count;
}

static void grows_for_a_reader_that_keeps_up(void)
{
	struct pace p = {.varies = true, .count = 1};

	pace_next(&p, true, 0);
	check_int(p.count, 1); /* it is not known yet */
	pace_read(&p, 1, 1000000000);
	pace_next(&p, true, 100);
	check_int(p.count, 1); /* nor whether the reader was busy or idle */
	check_int(after(&p, 1, 10), 2);
	check_int(after(&p, 1, 10), 4);
	check_int(after(&p, 100, 10), 64);
	check_int(p.soon, 500);
	pace_read(&p, 64, p.read_at); /* the clock has not moved */
	check_int(p.soon, INT_MAX);
	pace_next(&p, true, 100);
	check_int(p.count, 64);
}

static void as_many_as_are_read_soon(void)
{
	static const struct {
		int64_t us_each;
		int count;
	} rows[] = {{50, 64}, {100, 50}, {1000, 5}, {2500, 2}, {2501, 1}, {5000, 1}, {5001, 1},
		    {50000, 1}, {INT64_C(3600000000), 1}};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct pace p = {.varies = true, .count = 1, .read_at = 1};
		check_int(after(&p, 20, rows[i].us_each), rows[i].count);
	}
}

static void falls_at_once(void)
{
	struct pace p = {.varies = true, .count = 1, .read_at = 1};

	after(&p, 20, 10);
	pace_read(&p, 64, p.read_at + 1000000);
	pace_next(&p, true, 100);
	check_int(p.count, 1);
	after(&p, 20, 10);
	pace_next(&p, false, 100); /* there are no more: the next one comes to an idle reader */
	check_int(p.count, 1);
}

static void large_messages(void)
{
	static const struct {
		size_t each;
		int count;
	} rows[] = {{0, 64}, {256, 64}, {257, 63}, {1000, 16}, {8192, 2}, {8193, 1}, {1 << 20, 1}};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct pace p = {.varies = true, .count = 64, .soon = 1000};
		pace_next(&p, true, rows[i].each);
		check_int(p.count, rows[i].count);
	}
}

static void stays_as_it_is_set(void)
{
	struct pace p = {.count = 1000};

	pace_read(&p, 1000, 5000);
	pace_next(&p, true, 100);
	check_int(p.count, 1000);
	check_int(p.soon, 1000);
	pace_next(&p, false, 1 << 20);
	check_int(p.count, 1000);
}

static void what_redis_needed_does_not_count(void)
{
	struct pace p = {.varies = true, .count = 1};

	pace_read(&p, 1, 1000000000);
	pace_waited(&p, 20000);
	pace_read(&p, 100, 1000025000);
	check_int(p.soon, 100);
	pace_waited(&p, 20000);
	pace_read(&p, 100, 1000045000); /* the reader needed no time at all */
	check_int(p.soon, INT_MAX);
}

int main(void)
{
	what_redis_needed_does_not_count();
	grows_for_a_reader_that_keeps_up();
	as_many_as_are_read_soon();
	falls_at_once();
	large_messages();
	stays_as_it_is_set();
	return unit_end();
}
