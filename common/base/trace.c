#include "base/trace.h"

#include <string.h>

#include "base/text.h"

enum { TRACE = 3, SPAN = 36, FLAGS = 53, END = 55 }; /* their positions in a traceparent */

#define KEY_MAX 256
#define VALUE_MAX 256
#define MEMBERS_MAX 32

static bool is_among(const char *s, size_t len, const char *set)
{
	for (size_t i = 0; i < len; i++)
		if (!s[i] || !strchr(set, s[i]))
			return false;
	return true;
}

static bool is_hex(const char *s, size_t len)
{
	return is_among(s, len, "0123456789abcdef");
}

static bool is_printed(const char *s, size_t len, char from)
{
	for (size_t i = 0; i < len; i++)
		if (s[i] < from || s[i] > '~')
			return false;
	return true;
}

bool trace_parent_valid(const char *s, size_t len)
{
	if (len < END || len > TRACE_PARENT_MAX || s[TRACE - 1] != '-' || s[SPAN - 1] != '-' ||
	    s[FLAGS - 1] != '-' || !is_hex(s, 2) || !is_hex(s + TRACE, 32) ||
	    !is_hex(s + SPAN, 16) || !is_hex(s + FLAGS, 2))
		return false;
	if (!memcmp(s, "ff", 2) || is_among(s + TRACE, 32, "0") || is_among(s + SPAN, 16, "0"))
		return false;
	return len == END ||
	       (memcmp(s, "00", 2) != 0 && s[END] == '-' && is_printed(s + END, len - END, '!'));
}

/* is_member: KEY=VALUE, without blanks around it. */
static bool is_member(const char *s, size_t len)
{
	const char *equals = memchr(s, '=', len), *value = equals ? equals + 1 : s;
	size_t key = (size_t)(equals ? equals - s : 0), n = len - (size_t)(value - s);

	return key >= 1 && key <= KEY_MAX &&
	       is_among(s, 1, "abcdefghijklmnopqrstuvwxyz0123456789") &&
	       is_among(s, key, "abcdefghijklmnopqrstuvwxyz0123456789_-*/@") && n >= 1 &&
	       n <= VALUE_MAX && is_printed(value, n, ' ') && !memchr(value, '=', n);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* add_member appends the member at s, unless it is empty.
 * False: the member is invalid, or there is no room. */
static bool add_member(char *out, size_t *n, const char *s, size_t len)
{
	while (len > 0 && is_blank(*s))
		s++, len--;
	while (len > 0 && is_blank(s[len - 1]))
		len--;
	if (len == 0)
		return true;
	if (!is_member(s, len) || *n + len + (*n > 0) > TRACE_STATE_MAX)
		return false;
	if (*n > 0)
		out[(*n)++] = ',';
	memcpy(out + *n, s, len);
	*n += len;
	return true;
}

bool trace_state(const char *s, size_t len, char out[TRACE_STATE_MAX + 1])
{
	const char *end = s + len, *comma;
	bool good = true;
	size_t n = 0;
	int members = 0;

	for (; good && s <= end; s = comma + 1) {
		comma = memchr(s, ',', (size_t)(end - s));
		if (!comma)
			comma = end;
		good = ++members <= MEMBERS_MAX && add_member(out, &n, s, (size_t)(comma - s));
	}
	out[good ? n : 0] = '\0';
	return good;
}

int trace_members(struct buf *out, const struct trace *t)
{
	if (buf_text(out, ",\"traceparent\":") < 0 ||
	    (t->parent ? text_json(out, t->parent, t->parent_len) : buf_text(out, "null")) < 0 ||
	    buf_text(out, ",\"tracestate\":") < 0)
		return -1;
	return t->state[0] ? text_json(out, t->state, strlen(t->state)) : buf_text(out, "null");
}
