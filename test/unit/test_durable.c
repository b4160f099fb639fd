#include "base/durable.h"
#include "unit.h"

static void good(const char *text, int replicas, int64_t ms)
{
	struct durable d = {.replicas = 7, .ms = 3000};
	struct err e;

	check_row(durable_parse(text, "--wait-replicas", &d, &e) == 0, text);
	check_row(d.replicas == replicas && d.ms == ms, text);
}

static void bad(const char *text, const char *why)
{
	struct durable d = {.replicas = 7, .ms = 3000};
	struct err e = {0};

	check_row(durable_parse(text, "--wait-replicas", &d, &e) == -1, text);
	check_row(e.status == DQ_USAGE && !strcmp(e.text, why), text);
	check_row(d.replicas == 7 && d.ms == 3000, text);
}

int main(void)
{
	good("1", 1, 3000);
	good("0", 0, 3000);
	good("100,1ms", 100, 1);
	good("2,1m30s", 2, 90000);
	bad("", "--wait-replicas: \"\": not a whole number from 0 to 100");
	bad("101", "--wait-replicas: \"101\": not a whole number from 0 to 100");
	bad("-1", "--wait-replicas: \"-1\": not a whole number from 0 to 100");
	bad("1000000000000000000", "--wait-replicas: N or N,DUR, N from 0 to 100");
	bad("1,", "--wait-replicas: \"\": not a duration (such as 500ms, 90s, 1h30m, 2d)");
	bad("1,0", "--wait-replicas: DUR is at least 1ms");
	bad("1,1s,1s",
	    "--wait-replicas: \"1s,1s\": not a duration (such as 500ms, 90s, 1h30m, 2d)");
	return unit_end();
}
