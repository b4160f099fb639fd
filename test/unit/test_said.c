#include "message/said.h"

#include "unit.h"

static void read_as(const char *line, enum settle_verb verb, const char *amount, const char *reason)
{
	struct said said;
	struct err e;

	check_row(said_parse(line, strlen(line), &said, &e) == 0, line);
	check_row(said.verb == verb, line);
	check_text(said.amount, amount);
	check_text(said.reason, reason);
}

static void lines(void)
{
	read_as("done", SETTLE_DONE, "", "");
	read_as("  done  ", SETTLE_DONE, "", "");
	read_as("done 3s - 42", SETTLE_DONE, "", "3s - 42");
	read_as("bury", SETTLE_BURY, "", "");
	read_as("bury 404 no such page", SETTLE_BURY, "", "404 no such page");
	read_as("bury - @1 10:30", SETTLE_BURY, "", "- @1 10:30");
	read_as("retry", SETTLE_RETRY, "", "");
	read_as("retry 3s", SETTLE_RETRY, "3000", "");
	read_as("retry 0", SETTLE_RETRY, "0", "");
	read_as("retry  1h30m  two  blanks ", SETTLE_RETRY, "5400000", "two  blanks ");
	read_as("retry 18250d", SETTLE_RETRY, "1576800000000", "");
	read_as("retry busy 3s", SETTLE_RETRY, "", "busy 3s");
	read_as("retry -1 of two", SETTLE_RETRY, "", "-1 of two");
	read_as("retry -", SETTLE_RETRY, "", "");
	read_as("retry - 429", SETTLE_RETRY, "", "429");
	read_as("give-back", SETTLE_GIVE_BACK, "", "");
	read_as("give-back 500ms closed", SETTLE_GIVE_BACK, "500", "closed");
	read_as("give-back @1.5", SETTLE_GIVE_BACK, "@1500", "");
	read_as("give-back @1501ms later", SETTLE_GIVE_BACK, "@1501", "later");
	read_as("give-back 1970-01-01T01:00:01+01:00", SETTLE_GIVE_BACK, "@1000", "");
	read_as("give-back - 2 of 3", SETTLE_GIVE_BACK, "", "2 of 3");
	read_as("give-back Wed, 21 Oct 2026 07:28:00 GMT", SETTLE_GIVE_BACK, "@1792567680000", "");
	read_as("give-back  Wed, 21 Oct 2026 07:28:00 GMT  429", SETTLE_GIVE_BACK, "@1792567680000",
		"429");
	read_as("give-back Wednesday, 21-Oct-26 07:28:00 GMT 429", SETTLE_GIVE_BACK,
		"@1792567680000", "429");
	read_as("give-back Wed Oct 21 07:28:00 2026 429", SETTLE_GIVE_BACK, "@1792567680000",
		"429");
	read_as("give-back Wed, we are closed", SETTLE_GIVE_BACK, "", "Wed, we are closed");
	read_as("give-back Sat, 3 of 5 hosts are down", SETTLE_GIVE_BACK, "",
		"Sat, 3 of 5 hosts are down");
}

/* of several lines: only the first one has an amount */
static void several(void)
{
	read_as("done {\n  \"a\": 1\n}\n\n", SETTLE_DONE, "", "{\n  \"a\": 1\n}");
	read_as("done\n\n[1]", SETTLE_DONE, "", "[1]");
	read_as("retry\n3 hosts are down", SETTLE_RETRY, "", "3 hosts are down");
	read_as("retry \n3s", SETTLE_RETRY, "", "3s");
	read_as("retry 3s\nbusy\nvery", SETTLE_RETRY, "3000", "busy\nvery");
	read_as("retry -\n429", SETTLE_RETRY, "", "429");
	read_as("retry\t3s\tbusy\tvery", SETTLE_RETRY, "3000", "busy\tvery");
	read_as("give-back Wed, 21 Oct 2026 07:28:00 GMT\n429", SETTLE_GIVE_BACK,
		"@1792567680000", "429");
	check_int(said_begins("done", 4), true);
	check_int(said_begins("give-back\t1", 11), true);
	check_int(said_begins("done:", 5), false);
	check_int(said_begins(" done", 5), false);
	check_int(said_begins("", 0), false);
}

static void reasons(void)
{
	char line[SAID_LINE_MAX + 1] = "bury ", kept[SETTLE_REASON_MAX + 1];

	read_as("bury one\\ntwo\\tx\\\\n", SETTLE_BURY, "", "one\ntwo\tx\\n");
	read_as("bury a\\0b", SETTLE_BURY, "", "a b");
	read_as("bury \xc3\xa9", SETTLE_BURY, "", "\xc3\xa9");
	read_as("bury \033[1m\x7f\r\n", SETTLE_BURY, "", "\\x1b[1m\\x7f\\x0d");
	read_as("bury \xc3 \xff", SETTLE_BURY, "", "\\xc3 \\xff");
	memset(line + 5, 'x', SAID_LINE_MAX - 5);
	memset(kept, 'x', SETTLE_REASON_MAX);
	kept[SETTLE_REASON_MAX] = '\0';
	read_as(line, SETTLE_BURY, "", kept);
	/* the cut is in the middle of it */
	memcpy(line + 5 + SETTLE_REASON_MAX - 1, "\xc3\xa9", 2);
	kept[SETTLE_REASON_MAX - 1] = '\0';
	read_as(line, SETTLE_BURY, "", kept);
}

static void refused(const char *line, size_t len, const char *why)
{
	struct said said;
	struct err e;

	check_row(said_parse(line, len, &said, &e) == -1, line);
	check_int(e.status, DQ_DATA);
	check_text(e.text, why);
}

#define REFUSED(line, why) refused("" line, sizeof line - 1, "wrong verdict on descriptor 3: " why)

static void none(void)
{
	char line[SAID_LINE_MAX + 2];
	struct said said;
	struct err e;

	check_int(said_parse("don", 3, &said, &e), -1);
	check_int(said.known, false);
	check_int(said_parse("retry 3x", 8, &said, &e), -1);
	check_int(said.known, true);
	REFUSED("", "unknown word: \"\"");
	REFUSED("   ", "unknown word: \"\"");
	REFUSED("don", "unknown word: \"don\"");
	REFUSED("donee", "unknown word: \"donee\"");
	REFUSED("DONE", "unknown word: \"DONE\"");
	REFUSED("extend 3s", "unknown word: \"extend\"");
	REFUSED("retry 3x busy", "not a duration: \"3x\"");
	REFUSED("retry 18250d1ms", "longer than 18250d: \"18250d1ms\"");
	REFUSED("retry @1", "only give-back has a time: \"@1\"");
	REFUSED("retry 503: no", "only give-back has a time: \"503:\"");
	REFUSED("give-back 18251d", "longer than 18250d: \"18251d\"");
	REFUSED("give-back @4398046511104ms", "not a time: \"@4398046511104ms\"");
	REFUSED("give-back 10:30", "not a time: \"10:30\"");
	REFUSED("don\0", "unknown word: \"don\"");
	REFUSED("retry Wed, 21 Oct 2026 07:28:00 GMT",
		"only give-back has a time: \"Wed, 21 Oct 2026 07:28:00 GMT\"");
	REFUSED("give-back 21 Oct 2026 07:28:00 GMT busy",
		"not a time: \"21 Oct 2026 07:28:00 GMT\"");
	REFUSED("give-back Wed, 21 Oct 2026 07:28:00 PST",
		"not a time: \"Wed, 21 Oct 2026 07:28:00 PST\"");
	memset(line, ' ', sizeof line);
	memcpy(line, "done", 4);
	check_int(said_parse(line, sizeof line, &said, &e), 0);
}

static void formats(enum settle_verb verb, const char *amount, const char *reason, const char *want)
{
	struct buf b = {0};

	check_int(said_format(&b, verb, amount, reason), 0);
	check_bytes(b.bytes, b.len, want, strlen(want));
	buf_free(&b);
}

static void written(void)
{
	formats(SETTLE_DONE, "", "", "done\n");
	formats(SETTLE_RETRY, "", "", "retry -\n");
	formats(SETTLE_RETRY, "3000", "429 from the server", "retry 3000ms 429 from the server\n");
	formats(SETTLE_RETRY, "", "429", "retry - 429\n");
	formats(SETTLE_GIVE_BACK, "@1500", "", "give-back @1500ms\n");
	formats(SETTLE_GIVE_BACK, "", "", "give-back -\n");
	formats(SETTLE_BURY, "", "one\ntwo\\n\033\xff", "bury one\\ntwo\\\\n\\x1b\\xff\n");
}

int main(void)
{
	lines();
	several();
	reasons();
	none();
	written();
	return unit_end();
}
