#include "dq-stat/describe.h"
#include "unit.h"

/* The line KEY TAB VALUE, or the member "KEY", that describe makes of a header. */
static void shows(const char *header, const char *line, const char *member)
{
	const struct shown s = {.exists = true, .now = 1000, .state = "ready", .at = 900,
				.priority = 100, .delivery_due = -1, .again = -1, .first_due = -1,
				.reason = "", .holder = "", .header = header,
				.header_len = strlen(header), .payload = ""};
	struct buf b = {0};

	check_int(describe_shown(&b, "q", "id", &s), 0);
	check_int(buf_char(&b, 0), 0);
	check_row(strstr(b.bytes, line) != NULL, b.bytes);
	b.len = 0;
	check_int(describe_shown_json(&b, "q", "id", &s), 0);
	check_int(buf_char(&b, 0), 0);
	check_row(strstr(b.bytes, member) != NULL, b.bytes);
	buf_free(&b);
}

static void schedules(void)
{
	static const char *const odd[] = {"b=exp:", "b=exp:1", "b=exp:1..", "b=exp:..1",
					  "b=exp:1.2", "b=exp:1..2..3", "b=exp:1,2", "b=exp:0..2",
					  "b=exp:3..2", "b=exp:1..4398046511104", "b=exp:1..2x",
					  "b=1,", "b=,", "b=,1", "b=1,,2", "b=1;2", "b=1x", "b=-1",
					  "b=1e3", "b=4398046511104", "b=\xff", "b=1,\t2",
					  "b=111111111111111111111111", "b=x b=1", "b= ", "b"};

	shows("", "\nbackoff\t1s,10s,1m,10m\n", "\"backoff_ms\":[1000,10000,60000,600000]");
	shows("b=0,1500", "\nbackoff\t0s,1s500ms\n",
	      "\"backoff_ms\":[0,1500],\"backoff_exp_ms\":null");
	shows("b=exp:1000..3600000 r=2", "\nbackoff\texp:1s..1h\n",
	      "\"backoff_ms\":null,\"backoff_exp_ms\":[1000,3600000]");
	shows("b=exp:5..5", "\nbackoff\texp:5ms..5ms\n",
	      "\"backoff_ms\":null,\"backoff_exp_ms\":[5,5]");
	shows("b=007", "\nbackoff\t7ms\n", "\"backoff_ms\":[7],\"backoff_exp_ms\":null");
	for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
		shows(odd[i], "\nbackoff\t1s,10s,1m,10m\n",
		      "\"backoff_ms\":[1000,10000,60000,600000],\"backoff_exp_ms\":null");
}

static void numbers(void)
{
	shows("t=5 r=9 u=1000 x=2000", "\nttr\t5ms\n", "\"max_tries\":9");
	shows("t=5 r=9 u=1000 x=2000", "\nexpires\t1970-01-01T00:00:02.000Z\nunique\t1s\n",
	      "\"expires_ms\":2000");
	shows("t= =5 tt=5 t", "\nttr\t1m\n", "\"ttr_ms\":60000");
	shows("t=-1 r=nan", "\nttr\t1m\n", "\"max_tries\":5");
	shows("t=0 r=7x", "\nttr\t1m\n", "\"max_tries\":5");
	shows("t=4398046511104 r=0", "\nttr\t1m\n", "\"max_tries\":5");
	shows("t=5x t=5 r=3 r=4", "\nttr\t1m\n", "\"max_tries\":3");
	shows("t=  t=5 r=00000000000000000000000000000000007", "\nttr\t5ms\n", "\"max_tries\":7");
	shows("t=4398046511103 r=4294967295", "\nttr\t",
	      "\"max_tries\":4294967295,\"ttr_ms\":4398046511103");
	shows("u=5 k=1", "\nunique\t5ms\nkeep\t5ms\n", "\"unique_ms\":5,\"keep_ms\":5");
	shows("k=1", "\nunique\t-\nkeep\t-\n", "\"unique_ms\":null,\"keep_ms\":null");
	shows("u=5 k=2", "\nkeep\t-\n", "\"keep_ms\":null");
	shows("x=0 u=0", "\nexpires\t1970-01-01T00:00:00.000Z\nunique\t-\n",
	      "\"expires_ms\":0,\"unique_ms\":null");
	shows("x=1x u=1e3", "\nexpires\t-\nunique\t-\n", "\"expires_ms\":null,\"unique_ms\":null");
	shows(" t=7", "\nttr\t7ms\n", "\"ttr_ms\":7");
}

int main(void)
{
	schedules();
	numbers();
	return unit_end();
}
