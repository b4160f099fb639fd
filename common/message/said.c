#include "message/said.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "base/time.h"
#include "base/utf8.h"

/* fifty years: the scripts refuse what would end after May 2109 */
#define LONGEST (INT64_C(18250) * 86400000)

static const struct {
	const char *word;
	enum settle_verb verb;
} verbs[] = {{"done", SETTLE_DONE}, {"retry", SETTLE_RETRY}, {"give-back", SETTLE_GIVE_BACK},
	     {"bury", SETTLE_BURY}};
#define VERBS (sizeof verbs / sizeof *verbs)

static int wrong(struct err *e, const char *why, const char *text, size_t len)
{
	char shown[120];

	return err_set(e, DQ_DATA, "wrong verdict on descriptor %d: %s: \"%s\"", SAID_FD, why,
		       text_shown(shown, sizeof shown, text, len));
}

static bool has_controls(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)s[i] < 0x20 || s[i] == 0x7f)
			return true;
	return false;
}

/* next_date is next_word for a date of HTTP, which has blanks in it. */
static char *next_date(char **at)
{
	char *date = *at;
	size_t len = strnlen(date, TIME_HTTP_LEN);

	len += strcspn(date + len, " ");
	*at = date + len + strspn(date + len, " ");
	date[len] = '\0';
	return date;
}

/* next_word ends the word at *at with a NUL, and moves *at to the one behind it. */
static char *next_word(char **at)
{
	char *word = *at + strspn(*at, " "), *end = word + strcspn(word, " ");

	*at = end + strspn(end, " ");
	*end = '\0';
	return word;
}

/* begins_amount: does the text begin with a duration, a time, or the - that stands for none? */
static bool begins_amount(const char *text)
{
	return *text && (strchr("0123456789@", *text) || !strncmp(text, "- ", 2) ||
			 !strcmp(text, "-") || time_is_http(text));
}

static int read_amount(const char *word, struct said *out, struct err *e)
{
	struct err why = {0};
	bool is_time = word[0] == '@' || strchr(word, ':');
	int64_t ms = 0;

	if (!strcmp(word, "-"))
		return 0;
	if (is_time && out->verb != SETTLE_GIVE_BACK)
		return wrong(e, "only give-back has a time", word, strlen(word));
	if ((is_time ? time_parse : num_duration)(word, &ms, &why) < 0)
		return wrong(e, is_time ? "not a time" : "not a duration", word, strlen(word));
	if (!is_time && ms > LONGEST)
		return wrong(e, "longer than 18250d", word, strlen(word));
	snprintf(out->amount, sizeof out->amount, "%s%" PRId64, is_time ? "@" : "", ms);
	return 0;
}

static void read_reason(char *rest, struct said *out)
{
	size_t len = text_untsv(rest, strlen(rest));

	len = utf8_cut(rest, len, SETTLE_REASON_MAX);
	for (size_t i = 0; i < len; i++)
		out->reason[i] = rest[i] ? rest[i] : ' ';
	out->reason[len] = '\0';
}

int said_parse(const char *line, size_t len, struct said *out, struct err *e)
{
	char text[SAID_LINE_MAX + 1], *at = text, *word;
	size_t i;

	*out = (struct said){.verb = SETTLE_RETRY};
	if (len > SAID_LINE_MAX)
		return wrong(e, "too long", line, SAID_LINE_MAX);
	if (has_controls(line, len))
		return wrong(e, "control bytes", line, len);
	if (!text_utf8(line, len))
		return wrong(e, "not UTF-8", line, len);
	memcpy(text, line, len);
	text[len] = '\0';
	word = next_word(&at);
	for (i = 0; i < VERBS && strcmp(word, verbs[i].word); i++)
		;
	if (i == VERBS)
		return wrong(e, "unknown word", word, strlen(word));
	out->verb = verbs[i].verb;
	if (out->verb != SETTLE_BURY && out->verb != SETTLE_DONE && begins_amount(at) &&
	    read_amount(time_is_http(at) ? next_date(&at) : next_word(&at), out, e) < 0)
		return -1;
	read_reason(at, out);
	return 0;
}

int said_format(struct buf *out, enum settle_verb verb, const char *amount, const char *reason)
{
	size_t i = 0;
	bool delays = verb == SETTLE_RETRY || verb == SETTLE_GIVE_BACK;

	while (i < VERBS - 1 && verbs[i].verb != verb)
		i++;
	if (buf_text(out, verbs[i].word) < 0)
		return -1;
	if (delays &&
	    (buf_format(out, " %s%s", amount[0] ? amount : "-", amount[0] ? "ms" : "") < 0))
		return -1;
	if (reason[0] && (buf_char(out, ' ') < 0 || text_line(out, reason, strlen(reason)) < 0))
		return -1;
	return buf_char(out, '\n');
}
