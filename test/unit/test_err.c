#include "base/err.h"

#include <string.h>

#include "unit.h"

static bool says(int64_t ms, const char *text)
{
	struct err e;

	return err_late(&e, DQ_TEMPORARY, ms) == -1 && e.status == DQ_TEMPORARY &&
	       !strcmp(e.text, text);
}

/* A time-out may be hours: its length is for people. */
static void test_late(void)
{
	CHECK(says(-1, "timed out"));
	CHECK(says(0, "timed out"));
	CHECK(says(999, "timed out after 999ms"));
	CHECK(says(1500, "timed out after 1.5s"));
	CHECK(says(10000, "timed out after 10s"));
	CHECK(says(60000, "timed out after 1m0s"));
	CHECK(says(3600000, "timed out after 1h0m"));
}

int main(void)
{
	test_late();
	return unit_end();
}
