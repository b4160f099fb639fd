#include "facts.h"
#include "unit.h"

/* The line KEY TAB VALUE, or the member "KEY", that facts make of a header. */
static void shows(const char *header, const char *line, const char *member)
{
	const struct shown s = {.exists = true, .now = 1000, .state = "ready", .at = 900, .priority = 100, .token = "0",
				.delivery_due = -1, .again = -1, .reason = "", .header = header, .payload = ""};
	struct buf b = {0};

	check_int(facts_shown(&b, "q", "id", &s), 0);
	check_int(buf_char(&b, 0), 0);
	check_row(strstr(b.bytes, line) != NULL, b.bytes);
	b.len = 0;
	check_int(facts_shown_json(&b, "q", "id", &s), 0);
	check_int(buf_char(&b, 0), 0);
	check_row(strstr(b.bytes, member) != NULL, b.bytes);
	buf_free(&b);
}

static void schedules(void)
{
	shows("", "\nbackoff\t1s,10s,1m,10m\n", "\"backoff_ms\":[1000,10000,60000,600000]");
	shows("b=0,1500", "\nbackoff\t0s,1s500ms\n", "\"backoff_ms\":[0,1500]");
	shows("b=exp:1000..3600000 r=2", "\nbackoff\texp:1s..1h\n", "\"backoff_exp_ms\":[1000,3600000]");
	shows("b=exp:", "\nbackoff\texp:\n", "\"backoff\":\"exp:\"");
	shows("b=exp:1", "\nbackoff\texp:1\n", "\"backoff\":\"exp:1\"");
	shows("b=exp:1..2..3", "\nbackoff\texp:1..2..3\n", "\"backoff\":\"exp:1..2..3\"");
	shows("b=exp:1,2", "\nbackoff\texp:1,2\n", "\"backoff\":\"exp:1,2\"");
	shows("b=exp:1.", "\nbackoff\texp:1.\n", "\"backoff\":\"exp:1.\"");
	shows("b=1,", "\nbackoff\t1,\n", "\"backoff\":\"1,\"");
	shows("b=,", "\nbackoff\t,\n", "\"backoff\":\",\"");
	shows("b=1;2", "\nbackoff\t1;2\n", "\"backoff\":\"1;2\"");
	shows("b=9007199254740992", "\nbackoff\t9007199254740992\n", "\"backoff\":\"9007199254740992\"");
	shows("b=111111111111111111111111", "\nbackoff\t111111111111111111111111\n", "\"backoff\":\"111111111111111111111111\"");
	shows("b=\xff", "\nbackoff\t", "\"backoff_base64\":\"/w==\"");
}

static void numbers(void)
{
	shows("t=5 r=9 u=1000 x=2000", "\nttr\t5ms\n", "\"max_tries\":9");
	shows("t=5 r=9 u=1000 x=2000", "\nexpires\t1970-01-01T00:00:02.000Z\nunique\t1s\n", "\"expires_ms\":2000");
	shows("t= =5 tt=5 t", "\nttr\t1m\n", "\"ttr_ms\":60000");
	shows("t=-1 r=nan", "\nttr\t1m\n", "\"max_tries\":5");
	shows(" t=7", "\nttr\t7ms\n", "\"ttr_ms\":7");
}

int main(void)
{
	schedules();
	numbers();
	return unit_end();
}
