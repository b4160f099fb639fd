#include "base/num.h"
#include "unit.h"

#define UNTOUCHED INT64_C(-77)

static void good_duration(const char *s, int64_t want)
{
	struct err e = { 0 };
	int64_t ms = UNTOUCHED;

	check_row(num_duration(s, &ms, &e) == 0, s);
	check_row(ms == want, s);
	if (ms != want)
		printf("# got %" PRId64 ", want %" PRId64 "\n", ms, want);
}

static void bad_duration(const char *s)
{
	struct err e = { 0 };
	int64_t ms = UNTOUCHED;

	check_row(num_duration(s, &ms, &e) == -1, s);
	check_row(ms == UNTOUCHED, s);
	check_row(e.status == DQ_USAGE && e.text[0] == '"', s);
}

static void durations_read(void)
{
	good_duration("0", 0);
	good_duration("90", 90000);
	good_duration("007", 7000);
	good_duration("500ms", 500);
	good_duration("90s", 90000);
	good_duration("1.5h", 5400000);
	good_duration("1h30m", 5400000);
	good_duration("2d", 172800000);
	good_duration("1w", 604800000);
	good_duration("1d2h", 93600000);
	good_duration("1w2d3h4m5s6ms", 604800000 + 2 * 86400000 + 3 * 3600000 + 4 * 60000 + 5006);
	good_duration("1m1ms", 60001);
	good_duration("0.5", 500);
	good_duration("1.25h0.5m", 4530000);
}

static void durations_round_up(void)
{
	good_duration("0.0001s", 1);
	good_duration("0.1ms", 1);
	good_duration("0.001", 1);
	good_duration("0.0010000000000000000000000000000000001", 2);
	good_duration("1.0000000000000000000000000000000000000", 1000);
	good_duration("0.99999999999999999999999999999999", 1000);
	good_duration("0.1000000019w", 60480002); /* 60480001.149 */
	good_duration("0.3s", 300);
	good_duration("0.7s", 700);
	good_duration("1.005s", 1005);
}

static void durations_bounds(void)
{
	good_duration("3155760000000ms", NUM_DURATION_MAX);
	good_duration("3155760000s", NUM_DURATION_MAX);
	good_duration("315576000", NUM_BARE_MAX);
	good_duration("315576001s", NUM_BARE_MAX + 1000);
	good_duration("3652.5d", NUM_BARE_MAX);
	bad_duration("315576000.0001");
	bad_duration("315576001");
	bad_duration("1795681648");
	good_duration("36525d", NUM_DURATION_MAX);
	good_duration("36524d24h", NUM_DURATION_MAX);
	bad_duration("3155760000001ms");
	bad_duration("3155760000000.1ms");
	bad_duration("3155760000.0001");
	bad_duration("36525d1ms");
	bad_duration("36525d0.0001ms");
	bad_duration("9223372036854775807");
	bad_duration("9223372036854775807ms");
	bad_duration("9223372036854775808");
	bad_duration("18446744073709551616ms");
	bad_duration("99999999999999999999999999999999999999");
	bad_duration("9223372036854775807w9223372036854775807ms");
	bad_duration("9223372036854775807.999999999999w1ms");
}

static void durations_refused(void)
{
	static const char *const bad[] = {
		"", " ", "-1", "-0", "-1s", "+5", " 5", "5 ", "5 s", "\t5", "5\n", "nan", "NaN",
		"inf", "infinity", "-inf", "0x10", "1e3", "1E3", "1e3s", "2h1d", "1h1h", "1s1m",
		"1ms1s", "1ms1ms", ".5", "5.", ".", "5.s", ".5s", "1..5s", "1.2.3", "1.-5s", "s",
		"ms", "h", "1h30", "1.5.", "1S", "1H", "1MS", "1y", "1sec", "1 h", "1h 30m",
		"1h-30m", "1h+30m", "1,5s", "1_000", "5\xff", "\xd9\xa1", "1hs", "1mss", "--5",
		"0b1", "1h.5m", "1h5.m",
	};
	size_t i;

	for (i = 0; i < sizeof bad / sizeof bad[0]; i++)
		bad_duration(bad[i]);
}

static void duration_errors(void)
{
	struct err e = { 0 };
	int64_t ms;

	num_duration("1e3", &ms, &e);
	check_text(e.text, "\"1e3\": not a duration (such as 500ms, 90s, 1h30m, 2d)");
	num_duration("1\x1b[2J", &ms, &e);
	check_text(e.text, "\"1\\x1b[2J\": not a duration (such as 500ms, 90s, 1h30m, 2d)");
	num_duration("101w99999d", &ms, &e);
	check_text(e.text, "\"101w99999d\": a duration is at most 36525d");
	num_duration("1795681648", &ms, &e);
	check_text(e.text, "\"1795681648\": over 10 years a duration needs a unit (such as 4000d)");
	num_duration("99999999999999999999.5", &ms, &e);
	check_text(e.text, "\"99999999999999999999.5\": over 10 years a duration needs a unit "
			   "(such as 4000d)");
	num_duration("100y", &ms, &e);
	check_text(e.text, "\"100y\": not a duration (such as 500ms, 90s, 1h30m, 2d)");
}

static void parse(const char *s, int64_t min, int64_t max, int want, int64_t value)
{
	struct err e = { 0 };
	int64_t n = UNTOUCHED;

	check_row(num_parse(s, min, max, "-n", &n, &e) == want, s);
	check_row(n == (want == 0 ? value : UNTOUCHED), s);
	check_row(want == 0 || e.status == DQ_USAGE, s);
}

static void numbers(void)
{
	static const char *const bad[] = {"", " ", "-1", "+1", " 1", "1 ", "1.0", "0x1", "1e1",
					  "nan", "1k", "\xff"};
	struct err e = { 0 };
	int64_t n;
	size_t i;

	parse("0", 0, 10, 0, 0);
	parse("10", 0, 10, 0, 10);
	parse("0010", 0, 10, 0, 10);
	parse("11", 0, 10, -1, 0);
	parse("0", 1, 10, -1, 0);
	parse("9223372036854775807", 0, INT64_MAX, 0, INT64_MAX);
	parse("9223372036854775808", 0, INT64_MAX, -1, 0);
	parse("9223372036854775808", INT64_MIN, INT64_MAX, -1, 0);
	parse("92233720368547758080", 0, INT64_MAX, -1, 0);
	parse("18446744073709551617", 0, INT64_MAX, -1, 0);
	for (i = 0; i < sizeof bad / sizeof bad[0]; i++)
		parse(bad[i], INT64_MIN, INT64_MAX, -1, 0);
	num_parse("x\n", 1, 255, "-n", &n, &e);
	check_text(e.text, "-n: \"x\\n\": not a whole number from 1 to 255");
}

static void size(const char *s, int64_t max, int want, int64_t value)
{
	struct err e = { 0 };
	int64_t n = UNTOUCHED;

	check_row(num_size(s, 0, max, "--max-bytes", &n, &e) == want, s);
	check_row(n == (want == 0 ? value : UNTOUCHED), s);
}

static void sizes(void)
{
	static const char *const bad[] = {
		"", "k", "-1k", "1.5k", "1 k", "1kk", "1kB", "1K", "1m", "1g", "1T", "1Ki", "1KIB",
		"k1", "1k ", "0x1k",
	};
	struct err e = { 0 };
	int64_t n;
	size_t i;

	size("0", 100, 0, 0);
	size("4096", INT64_MAX, 0, 4096);
	size("64k", INT64_MAX, 0, 65536);
	size("64KiB", INT64_MAX, 0, 65536);
	size("1M", 1048576, 0, 1048576);
	size("1MiB", 1048575, -1, 0);
	size("3G", INT64_MAX, 0, INT64_C(3221225472));
	size("3GiB", INT64_MAX, 0, INT64_C(3221225472));
	size("8589934591G", INT64_MAX, 0, INT64_C(8589934591) << 30);
	size("8589934592G", INT64_MAX, -1, 0);
	size("9223372036854775807", INT64_MAX, 0, INT64_MAX);
	size("9223372036854775807k", INT64_MAX, -1, 0);
	size("9223372036854775808", INT64_MAX, -1, 0);
	for (i = 0; i < sizeof bad / sizeof bad[0]; i++)
		size(bad[i], INT64_MAX, -1, 0);
	num_size("2M", 0, 1048576, "--max-bytes", &n, &e);
	check_text(e.text, "--max-bytes: \"2M\": not a size from 0 to 1048576 bytes (such as "
			   "4096, 64k, 1M)");
}

int main(void)
{
	durations_read();
	durations_round_up();
	durations_bounds();
	durations_refused();
	duration_errors();
	numbers();
	sizes();
	return unit_end();
}
