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

/* read_due: a time begins with @ or has the dashes of a date;
 * any other text should be a duration. */
static int read_due(const char *s, size_t len, char due[LINE_DUE], struct err *e)
{
	char text[64], shown[80];

	due[0] = 0;
	if (len == 1 && *s == '-')
		return 0;
	if (len >= sizeof text || memchr(s, 0, len))
		return err_set(e, DQ_DATA, "\"%s\": neither a duration nor a time",
			       text_shown(shown, sizeof shown, s, len));
	memcpy(text, s, len);
	text[len] = 0;
	if (line_never(text, due))
		return 0;
	if (text[0] == '@' || strchr(text, ':') ? line_time(text, due, e) < 0 :
						  line_delay(text, "", due, e) < 0) {
		e->status = DQ_DATA;
		return -1;
	}
	return 0;
}

int line_keyed(const struct line *line, struct err *e)
{
	size_t rest = line->id ? line->id_len : ULID_CHARS;

	if (line->key_len == 0 || line->key_len + 1 + rest <= NAME_MAX_BYTES)
		return 0;
	if (!line->id)
		return err_set(e, DQ_DATA, "before a generated id a key has at most %d bytes",
			       LINE_KEY_MAX);
	return err_set(e, DQ_DATA, "KEY+ID is over %d bytes", NAME_MAX_BYTES);
}

/* read_id reads the column ID: ID, KEY+ID, "-" or "KEY+-". */
static int read_id(const char *s, size_t len, struct line *out, struct err *e)
{
	size_t key = name_key_len(s, len);

	if (len == 1 && *s == '-') {
		out->id = NULL;
		out->id_len = 0;
		return line_keyed(out, e);
	}
	if (name_id_check(s, len, e) < 0) {
		e->status = DQ_DATA;
		return -1;
	}
	if (key > 0 && out->key_len > 0)
		return err_set(e, DQ_DATA, "its id has a key, and -k is given");
	out->id = s;
	out->id_len = len;
	if (key > 0 && len == key + 2 && s[key + 1] == '-') {
		out->key = s;
		out->key_len = key;
		out->id = NULL;
		out->id_len = 0;
	}
	return line_keyed(out, e);
}

int line_tsv(char *line, size_t len, struct line *out, struct err *e)
{
	char *tab = memchr(line, '\t', len), *tab2;

	tab2 = tab ? memchr(tab + 1, '\t', len - (size_t)(tab + 1 - line)) : NULL;
	if (!tab2)
		return err_set(e, DQ_DATA, "not DELAY TAB ID TAB PAYLOAD");
	if (read_due(line, (size_t)(tab - line), out->due, e) < 0)
		return -1;
	if (read_id(tab + 1, (size_t)(tab2 - tab - 1), out, e) < 0)
		return -1;
	out->payload = tab2 + 1;
	out->len = text_untsv(tab2 + 1, len - (size_t)(tab2 + 1 - line));
	return 0;
}
