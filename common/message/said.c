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

#define BLANKS " \t"

/* verb_of returns the index of the word of a verdict, or VERBS. */
static size_t verb_of(const char *word, size_t len)
{
	size_t i = 0;

	while (i < VERBS && (strlen(verbs[i].word) != len || memcmp(word, verbs[i].word, len)))
		i++;
	return i;
}

bool said_begins(const char *line, size_t len)
{
	size_t n = 0;

	while (n < len && line[n] != ' ' && line[n] != '\t')
		n++;
	return verb_of(line, n) < VERBS;
}

/* next_word ends a word of at least so many bytes at *at with a NUL, and moves *at behind it and
 * the blanks there. */
static char *next_word(char **at, size_t least)
{
	char *word = *at, *end = word + least + strcspn(word + least, BLANKS "\n");

	*at = end + strspn(end, BLANKS);
	if (*end == '\n')
		*at = end + 1;
	*end = '\0';
	return word;
}

/* begins_amount: does the text begin with a duration, a time, or the - that stands for none? */
static bool begins_amount(const char *text)
{
	return *text && (strchr("0123456789@", *text) || time_date_len(text) ||
			 (*text == '-' && strchr(BLANKS "\n", text[1])));
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

/* plain copies a text in which bytes that no reason may have become \xNN: control bytes other than
 * LF and TAB, and what is not UTF-8. */
static size_t plain(char *to, const char *s, size_t len)
{
	size_t n = 0;

	for (size_t i = 0, width; i < len; i += width) {
		unsigned char c = (unsigned char)s[i];

		width = utf8_length(s + i, len - i);
		if (width && ((c >= 0x20 && c != 0x7f) || c == '\n' || c == '\t')) {
			memcpy(to + n, s + i, width);
			n += width;
		} else {
			width = 1;
			n += (size_t)snprintf(to + n, sizeof "\\x00", "\\x%02x", c);
		}
	}
	return n;
}

static void read_reason(const char *rest, size_t len, struct said *out)
{
	char text[4 * SAID_LINE_MAX + 1];

	while (len > 0 && rest[len - 1] == '\n')
		len--;
	for (; len > 0 && *rest == '\n'; len--)
		rest++;
	len = plain(text, rest, len);
	len = utf8_cut(text, text_untsv(text, len), SETTLE_REASON_MAX);
	for (size_t i = 0; i < len; i++)
		out->reason[i] = text[i] ? text[i] : ' ';
	out->reason[len] = '\0';
}

int said_parse(const char *said, size_t len, struct said *out, struct err *e)
{
	char text[SAID_LINE_MAX + 1], *at = text, *word;
	size_t i;

	*out = (struct said){.verb = SETTLE_RETRY};
	len = utf8_cut(said, len, SAID_LINE_MAX);
	memcpy(text, said, len);
	text[len] = '\0';
	at += strspn(at, BLANKS);
	word = next_word(&at, 0);
	i = verb_of(word, strlen(word));
	if (i == VERBS)
		return wrong(e, "unknown word", word, strlen(word));
	out->known = true;
	out->verb = verbs[i].verb;
	if (out->verb != SETTLE_BURY && out->verb != SETTLE_DONE && said[at - text - 1] != '\n' &&
	    begins_amount(at) && read_amount(next_word(&at, time_date_len(at)), out, e) < 0)
		return -1;
	read_reason(at, len - (size_t)(at - text), out);
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
