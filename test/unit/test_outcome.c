/* Goal: an outcome is read as it was written; what is not one is none. */
#include "message/outcome.h"

#include <string.h>

#include "unit.h"

/* read_again: what outcome_write makes of what outcome_read has read; "-": none. */
static void read_again(const char *text, size_t len, const char *wanted)
{
	struct buf out = {0};
	struct outcome o;

	outcome_read(&o, text, len);
	if (o.what)
		check_int(outcome_write(&out, &o), 0);
	else
		buf_text(&out, "-");
	buf_char(&out, '\0');
	check_text(out.bytes, wanted);
	buf_free(&out);
}

#define SAME(text) read_again("" text, sizeof text - 1, text)
#define NONE(text) read_again("" text, sizeof text - 1, "-")

static void outcomes(void)
{
	SAME("done 1 1790000000000\nsum 42");
	SAME("done 0 0\n");
	SAME("dead 5+3 1790000000000\ntwo\nlines");
	SAME("removed 0 4398046511103\n");
	NONE("");
	NONE("done");
	NONE("done 1 5");
	NONE("undone 1 5\n");
	NONE("don 1 5\n");
	NONE("done  5\n");
	NONE("done 1+ 5\n");
	NONE("done 1+2+3 5\n");
	NONE("done 1 4398046511104\n");
	NONE("done 1 -5\n");
	NONE("done 1 99999999999999999999999\n");
}

static void members(void)
{
	struct buf out = {0};
	struct outcome o;

	outcome_read(&o, "dead 2+1 5\n", strlen("dead 2+1 5\n"));
	check_int(outcome_members(&out, &o), 0);
	outcome_read(&o, "", 0);
	check_int(outcome_members(&out, &o), 0);
	buf_char(&out, '\0');
	check_text(out.bytes, ",\"outcome\":\"dead\",\"ended_ms\":5,\"tries\":2,\"given_back\":1,"
			      "\"result\":null,\"result_base64\":null");
	buf_free(&out);
}

int main(void)
{
	outcomes();
	members();
	return unit_end();
}
