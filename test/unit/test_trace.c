#include "base/trace.h"

#include "unit.h"

#define TRACE "4bf92f3577b34da6a3ce929d0e0e4736"
#define SPAN "00f067aa0ba902b7"
#define PARENT "00-" TRACE "-" SPAN "-01"

static void parent(const char *text, bool want)
{
	check_row(trace_parent_valid(text, strlen(text)) == want, text);
}

static void parents(void)
{
	static const char zeros[] = "00000000000000000000000000000000";
	static const char *const not[] = {"", "00", "00-" TRACE "-" SPAN "-0", PARENT "0",
					  PARENT "-", PARENT "-x", " " PARENT, PARENT " ",
					  "ff-" TRACE "-" SPAN "-01", "FE-" TRACE "-" SPAN "-01",
					  "0g-" TRACE "-" SPAN "-01",
					  "00-4BF92F3577B34DA6A3CE929D0E0E4736-" SPAN "-01",
					  "00-" TRACE "-00F067AA0BA902B7-01",
					  "00-" TRACE "-" SPAN "-0A", "00_" TRACE "-" SPAN "-01",
					  "00-" TRACE "_" SPAN "-01", "00-" TRACE "-" SPAN "_01",
					  "00-" TRACE "0-0f067aa0ba902b7-01",
					  "fe-" TRACE "-" SPAN "-01x",
					  "fe-" TRACE "-" SPAN "-01-a b",
					  "fe-" TRACE "-" SPAN "-01-\x7f"};
	char text[TRACE_PARENT_MAX + 2];

	parent(PARENT, true);
	parent("00-" TRACE "-" SPAN "-00", true);
	parent("00-" TRACE "-" SPAN "-ff", true);
	parent("fe-" TRACE "-" SPAN "-01", true);
	parent("01-" TRACE "-" SPAN "-01-", true);
	parent("01-" TRACE "-" SPAN "-01-what=ever!~", true);
	for (size_t i = 0; i < sizeof not / sizeof *not; i++)
		parent(not[i], false);
	snprintf(text, sizeof text, "00-%s-" SPAN "-01", zeros);
	parent(text, false);
	snprintf(text, sizeof text, "00-" TRACE "-%.16s-01", zeros);
	parent(text, false);
	memset(text, 'x', sizeof text);
	memcpy(text, "01-" TRACE "-" SPAN "-01-", 56);
	check_int(trace_parent_valid(text, TRACE_PARENT_MAX), 1);
	check_int(trace_parent_valid(text, TRACE_PARENT_MAX + 1), 0);
}

/* want NULL: not valid. */
static void state(const char *text, const char *want)
{
	char out[TRACE_STATE_MAX + 1] = "before";

	check_row(trace_state(text, strlen(text), out) == (want != NULL), text);
	check_text(out, want ? want : "");
}

static void states(void)
{
	char text[2 * TRACE_STATE_MAX] = "a=";

	state("", "");
	state("a=1", "a=1");
	state("rojo=00f067aa0ba902b7,congo=t61rcWkgMzE", "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE");
	state(" a=1 ,\t,b=2\t,", "a=1,b=2");
	state("a=b c%20", "a=b c%20");
	state("0a_-*/@b=!~", "0a_-*/@b=!~");
	state("a", NULL);
	state("=1", NULL);
	state("a=", NULL);
	state("a= ", NULL);
	state("a=1=2", NULL);
	state("A=1", NULL);
	state("aB=1", NULL);
	state("_a=1", NULL);
	state("a=\xc3\xa9", NULL);
	state("a=1\n", NULL);
	state("a=1,b", NULL);
	memset(text + 2, 'x', 257);
	state(text, NULL);
	text[258] = '\0';
	state(text, text);
	memcpy(text + 258, ",b=", 4);
	memset(text + 261, 'y', 251);
	state(text, text);
	text[512] = 'y';
	state(text, NULL);
}

static void members(void)
{
	char list[200] = "";

	for (int i = 0; i < 32; i++)
		strcat(list, i ? ",a=1" : "a=1");
	state(list, list);
	strcat(list, ",a=1");
	state(list, NULL);
}

static void json(void)
{
	struct trace t = {.parent = PARENT "...", .parent_len = 55, .state = "a=\"\\"};
	static const char both[] = ",\"traceparent\":\"" PARENT "\",\"tracestate\":\"a=\\\"\\\\\"";
	static const char none[] = ",\"traceparent\":null,\"tracestate\":null";
	struct buf b = {0};

	check_int(trace_members(&b, &t), 0);
	check_bytes(b.bytes, b.len, both, sizeof both - 1);
	b.len = 0;
	check_int(trace_members(&b, &(struct trace){.parent = NULL}), 0);
	check_bytes(b.bytes, b.len, none, sizeof none - 1);
	buf_free(&b);
}

int main(void)
{
	parents();
	states();
	members();
	json();
	return unit_end();
}
