#include "base/time.h"
#include "unit.h"

#define UNTOUCHED INT64_C(-77)

static void good(const char *s, int64_t want)
{
	struct err e = { 0 };
	int64_t ms = UNTOUCHED;

	check_row(time_parse(s, &ms, &e) == 0, s);
	check_row(ms == want, s);
	if (ms != want)
		printf("# got %" PRId64 ", want %" PRId64 "\n", ms, want);
}

/* why: a part of the error's text. */
static void bad(const char *s, const char *why)
{
	struct err e = { 0 };
	int64_t ms = UNTOUCHED;

	check_row(time_parse(s, &ms, &e) == -1, s);
	check_row(ms == UNTOUCHED && e.status == DQ_USAGE, s);
	check_row(strstr(e.text, why) != NULL, s);
}

static void http(void)
{
	good("Thu, 01 Jan 1970 00:00:00 GMT", 0);
	good("Wed, 21 Oct 2026 07:28:00 GMT", INT64_C(1792567680000));
	good("Sun, 29 Feb 2032 23:59:60 GMT", INT64_C(1961712000000));
	bad("Sun, 29 Feb 2026 00:00:00 GMT", "no such day");
	bad("Wed, 21 Oct 2026 07:28:60 GMT", "leap second");
	bad("Wed, 21 Oct 1969 07:28:00 GMT", "a time is from");
	bad("Wed, 21 Okt 2026 07:28:00 GMT", "not a time");
	bad("Wed, 21 Oct 2026 07:28:00", "not a time");
	bad("Wed, 21 Oct 2026 07:28:00 GMT ", "not a time");
	bad("Wed, 21 Oct 26 07:28:00 GMT", "not a time");
	bad("Wed, 1 Oct 2026 07:28:00 GMT", "not a time");
	bad("wed, 21 Oct 2026 07:28:00 GMT", "not a time");
	good("Wednesday, 21-Oct-26 07:28:00 GMT", INT64_C(1792567680000));
	good("Sunday, 06-Nov-94 08:49:37 GMT", INT64_C(784111777000));
	good("Thursday, 01-Jan-70 00:00:00 GMT", 0);
	good("Tuesday, 31-Dec-69 23:59:59 GMT", INT64_C(3155759999000));
	good("Sun Nov  6 08:49:37 1994", INT64_C(784111777000));
	good("Wed Oct 21 07:28:00 2026", INT64_C(1792567680000));
	bad("Wednesday, 21-Oct-2026 07:28:00 GMT", "not a time");
	bad("Wednesday, 31-Sep-26 07:28:00 GMT", "no such day");
	bad("Wed Oct 21 07:28:00 2026 GMT", "not a time");
	bad("Wed Oct 21 07:28:00 GMT 2026", "not a time");
	bad("Wed Oct 1 07:28:00 2026", "not a time");
	bad("Wednes, 21 Oct 2026 07:28:00 GMT", "not a time");
	bad("Wed,", "not a time");
}

static void dates(void)
{
	static const struct {
		const char *text;
		size_t len;
	} rows[] = {{"Wed, 21 Oct 2026 07:28:00 GMT 429", 29},
		    {"Wednesday, 21-Oct-26 07:28:00 GMT", 33},
		    {"Sun Nov  6 08:49:37 1994\n429", 24},
		    {"21 Oct 2026 07:28:00 +0000 x", 26},
		    {"Oct 21 7:28:00", 14},
		    {"Wed, 21 Oct 2026 07:28 GMT", 0},
		    {"Sat, 3 of 5 hosts are down", 0},
		    {"3 Decoders failed at 10:30:11", 0},
		    {"3 of 5 in Oct, at 10:30:11", 0},
		    {"Oct\n10:30:11", 0},
		    {"10:30:11", 0},
		    {"", 0}};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		check_int((int64_t)time_date_len(rows[i].text), (int64_t)rows[i].len);
}

static void epochs(void)
{
	good("@0", 0);
	good("@1", 1000);
	good("@1.5", 1500);
	good("@1.0001", 1001);
	good("@1.001", 1001);
	good("@1.9999", 2000);
	good("@0.00000000000000000000000000000000001", 1);
	good("@4398046511.103", TIME_MAX);
	good("@4398046511.1029999", TIME_MAX);
	good("@0ms", 0);
	good("@1ms", 1);
	good("@1795325372400ms", INT64_C(1795325372400));
	good("@004398046511103ms", TIME_MAX);
	bad("@4398046511104ms", "a time is from");
	bad("@99999999999999999999999999ms", "a time is from");
	bad("@ms", "not a time");
	bad("@1.5ms", "not a time");
	bad("@1 ms", "not a time");
	bad("@1m", "not a time");
	bad("@1mss", "not a time");
	bad("@1MS", "not a time");
	bad("@-1ms", "not a time");
	bad("@4398046511.104", "a time is from");
	bad("@4398046511.1030000001", "a time is from");
	bad("@4398046512", "a time is from");
	bad("@9223372036854775807", "a time is from");
	bad("@99999999999999999999999999", "a time is from");
	bad("@", "not a time");
	bad("@-1", "not a time");
	bad("@+1", "not a time");
	bad("@ 1", "not a time");
	bad("@1 ", "not a time");
	bad("@1.", "not a time");
	bad("@.5", "not a time");
	bad("@1e3", "not a time");
	bad("@0x10", "not a time");
	bad("@nan", "not a time");
	bad("@1Z", "not a time");
	bad("@@1", "not a time");
}

static void hint(const char *number, const char *want)
{
	char got[TIME_HINT];

	check_row(time_hint(number, got) == (want != NULL), number);
	if (want)
		check_text(got, want);
}

static void hints(void)
{
	bad("@1795681648062",
	    "\"@1795681648062\": beyond the year 2109: did you mean @1795681648062ms?");
	bad("1795681648", "\"1795681648\": not a time: did you mean @1795681648?");
	bad("1795681648062", "\"1795681648062\": not a time: did you mean @1795681648062ms?");
	bad("90", "such as @1790000000");
	bad("1795681648062000", "such as @1790000000");
	hint("1795681648", "@1795681648");
	hint("1795681648.25", "@1795681648.25");
	hint("1795681648062", "@1795681648062ms");
	hint("4398046511103", "@4398046511103ms");
	hint("4398046511104", NULL);
	hint("1795681648062000", NULL);
	hint("1795681648062.5", NULL);
	hint("3600", NULL);
	hint("1795681648s", NULL);
	hint("17956816481795681648179568164817956816480", NULL);
	hint("", NULL);
}

static void rfc3339(void)
{
	good("1970-01-01T00:00:00Z", 0);
	good("2026-11-21T09:00:00Z", INT64_C(1795251600000));
	good("2026-11-21t09:00:00z", INT64_C(1795251600000));
	good("2026-11-21 09:00:00Z", INT64_C(1795251600000));
	good("2026-11-21T10:00:00+01:00", INT64_C(1795251600000));
	good("2026-11-21T23:00:00+14:00", INT64_C(1795251600000));
	good("2026-11-21T09:00:00-00:00", INT64_C(1795251600000));
	good("2026-11-21T09:00:00+00:00", INT64_C(1795251600000));
	good("2026-11-20T21:30:00-11:30", INT64_C(1795251600000));
	good("2026-11-22T08:59:00+23:59", INT64_C(1795251600000));
	good("1970-01-01T01:00:00+01:00", 0);
	good("1969-12-31T23:00:00-01:00", 0);
	good("2109-05-15T07:35:11.103Z", TIME_MAX);
	bad("2109-05-15T07:35:11.104Z", "a time is from");
	bad("2109-05-15T07:35:11.10301Z", "a time is from");
	bad("9999-12-31T23:59:59Z", "a time is from");
	bad("1969-12-31T23:59:59Z", "a time is from");
	bad("1970-01-01T00:59:59+01:00", "a time is from");
	bad("0000-01-01T00:00:00Z", "a time is from");
}

static void fractions_and_leap_seconds(void)
{
	good("1970-01-01T00:00:01.5Z", 1500);
	good("1970-01-01T00:00:01.123456789Z", 1124);
	good("1970-01-01T00:00:01.123000000Z", 1123);
	good("1970-01-01T00:00:59.9999Z", 60000);
	good("1970-01-01T00:00:01.5+00:00", 1500);
	bad("1970-01-01T00:00:01.Z", "not a time");
	bad("1970-01-01T00:00:01,5Z", "not a time");
	bad("1970-01-01T00:00:01.5.5Z", "not a time");
	good("2016-12-31T23:59:60Z", INT64_C(1483228800000));
	good("2016-12-31T23:59:60.5Z", INT64_C(1483228800500));
	good("2017-01-01T08:59:60+09:00", INT64_C(1483228800000));
	bad("2016-12-31T23:58:60Z", "leap second");
	bad("2016-12-31T23:59:60+01:00", "leap second");
	bad("2016-12-31T23:59:61Z", "not a time");
}

static void calendar(void)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	char s[40];
	int month;

	for (month = 1; month <= 12; month++) {
		struct err e;
		int64_t ms;

		snprintf(s, sizeof s, "2027-%02d-%02dT00:00:00Z", month, days[month - 1]);
		check_row(time_parse(s, &ms, &e) == 0, s);
		snprintf(s, sizeof s, "2027-%02d-%02dT00:00:00Z", month, days[month - 1] + 1);
		check_row(time_parse(s, &ms, &e) == -1, s);
	}
	good("2000-02-29T00:00:00Z", INT64_C(951782400000));
	good("2028-02-29T00:00:00Z", INT64_C(1835395200000));
	good("2028-03-01T00:00:00Z", INT64_C(1835481600000));
	bad("2026-02-29T00:00:00Z", "no such day");
	bad("2100-02-29T00:00:00Z", "no such day");
	bad("2026-04-31T00:00:00Z", "no such day");
	bad("2026-00-01T00:00:00Z", "not a time");
	bad("2026-13-01T00:00:00Z", "not a time");
	bad("2026-01-00T00:00:00Z", "not a time");
	bad("2026-01-32T00:00:00Z", "not a time");
	bad("2026-01-01T24:00:00Z", "not a time");
	bad("2026-01-01T00:60:00Z", "not a time");
}

static void malformed(void)
{
	bad("2026-11-21T09:00:00", "zone is missing");
	bad("2026-11-21T09:00:00.5", "zone is missing");
	bad("2026-11-21T09:00:00+24:00", "an offset with a colon");
	bad("2026-11-21T09:00:00+01:60", "an offset with a colon such as +02:00");
	bad("2026-11-21T09:00:00+0100", "an offset with a colon such as +02:00");
	bad("2026-11-21T09:00:00+01", "an offset with a colon such as +02:00");
	bad("2026-11-21T09:00:00+1:00", "an offset with a colon");
	bad("2026-11-21T09:00:00 Z", "not a time");
	bad("2026-11-21T09:00:00CET", "not a time");
	bad("2026-11-21T09:00:00Z ", "not a time");
	bad("2026-11-21T09:00:00ZZ", "not a time");
	bad(" 2026-11-21T09:00:00Z", "not a time");
	bad("2026-11-21T09:00Z", "a date needs a time with seconds");
	bad("2026-11-21", "a date needs a time with seconds");
	bad("2026-11-21T09:0x", "not a time");
	bad("20261121T090000Z", "not a time");
	bad("26-11-21T09:00:00Z", "not a time");
	bad("12026-11-21T09:00:00Z", "not a time");
	bad("+2026-11-21T09:00:00Z", "not a time");
	bad("-2026-11-21T09:00:00Z", "not a time");
	bad("2026-11-21T 9:00:00Z", "not a time");
	bad("2026-11-21_09:00:00Z", "not a time");
	bad("", "not a time");
	bad("tomorrow", "not a time");
	bad("1795251600", "not a time");
	bad("\x1b", "\"\\x1b\": not a time");
}

static void format(int64_t ms, const char *want)
{
	char text[TIME_TEXT];

	time_format(ms, text);
	check_text(text, want);
}

static void formats(void)
{
	format(0, "1970-01-01T00:00:00.000Z");
	format(1, "1970-01-01T00:00:00.001Z");
	format(INT64_C(1795251600123), "2026-11-21T09:00:00.123Z");
	format(INT64_C(951782400000), "2000-02-29T00:00:00.000Z");
	format(INT64_C(951868799999), "2000-02-29T23:59:59.999Z");
	format(INT64_C(951868800000), "2000-03-01T00:00:00.000Z");
	format(INT64_C(978307199999), "2000-12-31T23:59:59.999Z");
	format(INT64_C(4107542400000), "2100-03-01T00:00:00.000Z");
	format(TIME_MAX, "2109-05-15T07:35:11.103Z");
	format(-1, "1969-12-31T23:59:59.999Z");
	format(INT64_MAX, "292278994-08-17T07:12:55.807Z");
	format(INT64_MIN, "-292275055-05-16T16:47:04.192Z");
}

static void every_day_there_and_back(void)
{
	struct err e;
	char text[TIME_TEXT];
	int64_t ms, back, wrong = 0;

	for (ms = 0; ms <= TIME_MAX; ms += INT64_C(86400567)) {
		time_format(ms, text);
		if (time_parse(text, &back, &e) < 0 || back != ms)
			wrong++;
	}
	check_int(wrong, 0);
}

int main(void)
{
	epochs();
	hints();
	rfc3339();
	http();
	dates();
	fractions_and_leap_seconds();
	calendar();
	malformed();
	formats();
	every_day_there_and_back();
	return unit_end();
}
