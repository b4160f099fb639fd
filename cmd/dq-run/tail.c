#include "tail.h"

#include <stdbool.h>
#include <string.h>

#include "base/utf8.h"

#define BLANK " \t\r"

static bool is_blank(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!strchr(BLANK, s[i]))
			return false;
	return true;
}

void tail_start(struct tail *t)
{
	t->len = t->line_len = 0;
}

/* fit drops the first lines until the rest has at most SETTLE_REASON_MAX bytes. */
static void fit(struct tail *t)
{
	size_t from = t->len > SETTLE_REASON_MAX ? t->len - SETTLE_REASON_MAX : 0;
	const char *lf;

	if (from > 0 && t->text[from - 1] != '\n') {
		lf = memchr(t->text + from, '\n', t->len - from);
		from = lf ? (size_t)(lf + 1 - t->text) : t->len;
	}
	memmove(t->text, t->text + from, t->len - from);
	t->len -= from;
}

static void end_line(struct tail *t)
{
	size_t len;

	if (t->line_len && t->line_len <= SETTLE_REASON_MAX && t->line[t->line_len - 1] == '\r')
		t->line_len--;
	len = utf8_cut(t->line, t->line_len, SETTLE_REASON_MAX);
	t->line_len = 0;
	if (is_blank(t->line, len))
		return;
	if (t->len + 1 + len > TAIL_ROOM)
		fit(t);
	if (t->len > 0)
		t->text[t->len++] = '\n';
	memcpy(t->text + t->len, t->line, len);
	t->len += len;
}

void tail_add(struct tail *t, const char *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (bytes[i] == '\n')
			end_line(t);
		else if (t->line_len >= SETTLE_REASON_MAX)
			t->line_len = SETTLE_REASON_MAX + 1;
		else
			t->line[t->line_len++] = bytes[i] ? bytes[i] : ' ';
	}
}

void tail_end(struct tail *t)
{
	size_t indent;

	end_line(t);
	fit(t);
	t->text[t->len] = '\0';
	indent = strspn(t->text, BLANK);
	t->len -= indent;
	memmove(t->text, t->text + indent, t->len + 1);
}

void tail_set(struct tail *t, const char *text)
{
	t->len = strlen(text);
	memcpy(t->text, text, t->len + 1);
}
