#include "message/line.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/name.h"
#include "base/num.h"
#include "base/text.h"
#include "base/time.h"

/* hint: a number that is too great for a bare duration is probably a time. */
static void hint(struct err *e, const char *text, const char *option)
{
	size_t len = strlen(e->text);
	char at[TIME_HINT];

	if (time_hint(text, at))
		snprintf(e->text + len, sizeof e->text - len, "; as a time: %s%s", option, at);
}

int line_delay(const char *text, const char *option, char due[LINE_DUE], struct err *e)
{
	int64_t ms;

	if (num_duration(text, &ms, e) < 0) {
		hint(e, text, option);
		return -1;
	}
	snprintf(due, LINE_DUE, "%lld", (long long)ms);
	return 0;
}

int line_time(const char *text, char due[LINE_DUE], struct err *e)
{
	int64_t ms;

	if (time_parse(text, &ms, e) < 0)
		return -1;
	snprintf(due, LINE_DUE, "@%lld", (long long)ms);
	return 0;
}

bool line_never(const char *text, char due[LINE_DUE])
{
	if (strcmp(text, "never") != 0)
		return false;
	snprintf(due, LINE_DUE, "@%lld", (long long)TIME_MAX); /* HELD in lua/lib/constants.lua */
	return true;
}

/* read_due: a time begins with @ or has the dashes of a date; any other text should be a duration. */
static int read_due(const char *s, size_t len, char due[LINE_DUE], struct err *e)
{
	char text[64], shown[80];

	due[0] = 0;
	if (len == 1 && *s == '-')
		return 0;
	if (len >= sizeof text || memchr(s, 0, len))
		return err_set(e, DQ_DATA, "\"%s\": neither a duration nor a time", text_shown(shown, sizeof shown, s, len));
	memcpy(text, s, len);
	text[len] = 0;
	if (line_never(text, due))
		return 0;
	if (text[0] == '@' || strchr(text, ':') ? line_time(text, due, e) < 0 : line_delay(text, "", due, e) < 0) {
		e->status = DQ_DATA;
		return -1;
	}
	return 0;
}

int line_tsv(char *line, size_t len, struct line *out, struct err *e)
{
	char *tab = memchr(line, '\t', len), *tab2;

	tab2 = tab ? memchr(tab + 1, '\t', len - (size_t)(tab + 1 - line)) : NULL;
	if (!tab2)
		return err_set(e, DQ_DATA, "not DELAY TAB ID TAB PAYLOAD");
	if (read_due(line, (size_t)(tab - line), out->due, e) < 0)
		return -1;
	out->id = tab + 1;
	out->id_len = (size_t)(tab2 - tab - 1);
	if (out->id_len == 1 && *out->id == '-') {
		out->id = NULL;
		out->id_len = 0;
	} else if (name_id_check(out->id, out->id_len, e) < 0) {
		e->status = DQ_DATA;
		return -1;
	}
	out->payload = tab2 + 1;
	out->len = text_untsv(tab2 + 1, len - (size_t)(tab2 + 1 - line));
	return 0;
}
