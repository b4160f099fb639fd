#include "base/text.h"

#include <stdint.h>
#include <string.h>

#include "base/base64.h"
#include "base/utf8.h"

static const char hex[] = "0123456789abcdef";

/* Returns the escape sequence of c, perhaps in scratch, or NULL if c needs none. */
typedef const char *escape_fn(unsigned char c, char scratch[8]);

static int add_escaped(struct buf *out, const char *s, size_t len, escape_fn *escape)
{
	size_t before = out->len, done = 0, i;
	char scratch[8];

	for (i = 0; i < len; i++) {
		const char *written = escape((unsigned char)s[i], scratch);

		if (written == NULL)
			continue;
		if (buf_add(out, s + done, i - done) < 0 || buf_text(out, written) < 0)
			goto fail;
		done = i + 1;
	}
	if (buf_add(out, s + done, len - done) == 0)
		return 0;
fail:
	out->len = before;
	return -1;
}

static const char *tsv_escape(unsigned char c, char scratch[8])
{
	(void)scratch;
	switch (c) {
	case '\t': return "\\t";
	case '\n': return "\\n";
	case '\r': return "\\r";
	case '\\': return "\\\\";
	case '\0': return "\\0";
	default: return NULL;
	}
}

int text_tsv(struct buf *out, const char *s, size_t len)
{
	return add_escaped(out, s, len, tsv_escape);
}

size_t text_untsv(char *s, size_t len)
{
	static const char names[] = { 't', 'n', 'r', '\\', '0' };
	static const char values[] = { '\t', '\n', '\r', '\\', '\0' };
	size_t from, to = 0;

	for (from = 0; from < len; from++) {
		const char *name = NULL;

		if (s[from] == '\\' && from + 1 < len)
			name = memchr(names, s[from + 1], sizeof names);
		if (name != NULL)
			from++;
		s[to++] = name != NULL ? values[name - names] : s[from];
	}
	return to;
}

bool text_utf8(const char *s, size_t len)
{
	for (size_t i = 0, n; i < len; i += n) {
		n = utf8_length(s + i, len - i);
		if (n == 0)
			return false;
	}
	return true;
}

/* acts: may a terminal act on this character rather than show it? */
static bool acts(const unsigned char *p, size_t n)
{
	unsigned long c = n == 2 ? (p[0] & 0x1fUL) << 6 | (p[1] & 0x3f)
			  : n == 3 ? (p[0] & 0xfUL) << 12 | (p[1] & 0x3fUL) << 6 | (p[2] & 0x3f)
				   : p[0];

	if (n == 4)
		return p[0] == 0xf3 && p[1] == 0xa0; /* tags */
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c || c == 0x200e || c == 0x200f ||
	       (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

int text_line(struct buf *out, const char *s, size_t len)
{
	size_t before = out->len;
	char piece[4] = "\\x";

	for (size_t i = 0, n; i < len; i += n) {
		const unsigned char *p = (const unsigned char *)s + i;
		bool shown;

		n = utf8_length(s + i, len - i);
		shown = n > 0 && (!acts(p, n) || strchr("\t\n\r", *p)); /* strchr also finds NUL */
		n = n > 0 ? n : 1;
		for (size_t j = 0; j < n && !shown; j++) {
			piece[2] = hex[p[j] >> 4];
			piece[3] = hex[p[j] & 15];
			if (buf_add(out, piece, sizeof piece) < 0)
				goto fail;
		}
		if (shown && text_tsv(out, s + i, n) < 0)
			goto fail;
	}
	return 0;
fail:
	out->len = before;
	return -1;
}

static const char *json_escape(unsigned char c, char scratch[8])
{
	switch (c) {
	case '"': return "\\\"";
	case '\\': return "\\\\";
	case '\b': return "\\b";
	case '\f': return "\\f";
	case '\n': return "\\n";
	case '\r': return "\\r";
	case '\t': return "\\t";
	default: break;
	}
	if (c >= 0x20 && c != 0x7f)
		return NULL;
	memcpy(scratch, "\\u00", 4);
	scratch[4] = hex[c >> 4];
	scratch[5] = hex[c & 15];
	scratch[6] = '\0';
	return scratch;
}

int text_json(struct buf *out, const char *s, size_t len)
{
	size_t before = out->len;

	if (buf_char(out, '"') == 0 && add_escaped(out, s, len, json_escape) == 0 &&
	    buf_char(out, '"') == 0)
		return 0;
	out->len = before;
	return -1;
}

/* show writes c in a form that a terminal only shows, and returns the number of characters. */
static size_t show(unsigned char c, char to[4])
{
	const char *named = c != '\0' ? strchr("\nn\rr\tt\\\\", c) : NULL;

	to[0] = '\\';
	if (c >= 0x20 && c < 0x7f && c != '\\') {
		to[0] = (char)c;
		return 1;
	}
	if (named != NULL) {
		to[1] = named[1];
		return 2;
	}
	to[1] = 'x';
	to[2] = hex[c >> 4];
	to[3] = hex[c & 15];
	return 4;
}

char *text_shown(char *dst, size_t cap, const char *s, size_t len)
{
	/* mark: the last position, behind a character, at which "..." still fits; end: of it */
	size_t n = 0, mark = 0, end = 0, i;
	char piece[4];

	for (i = 0; i < len; i++) {
		size_t width = show((unsigned char)s[i], piece),
		       whole = utf8_length(s + i, len - i);

		if (i == end)
			end += whole ? whole : 1;
		if (n + width >= cap) {
			memcpy(dst + mark, "...", 4);
			return dst;
		}
		memcpy(dst + n, piece, width);
		n += width;
		if (i + 1 == end && n + 3 < cap)
			mark = n;
	}
	dst[n] = '\0';
	return dst;
}

size_t text_last_line(const char *s, size_t *len)
{
	size_t end = *len, from;

	while (end > 0 && s[end - 1] == '\n')
		end--;
	for (from = end; from > 0 && s[from - 1] != '\n';)
		from--;
	*len = end - from;
	return from;
}

int text_members(struct buf *out, const char *key, const char *s, size_t len)
{
	if (!s)
		return buf_format(out, "\"%s\":null,\"%s_base64\":null", key, key);
	if (text_utf8(s, len)) {
		if (buf_format(out, "\"%s\":", key) < 0 || text_json(out, s, len) < 0)
			return -1;
		return buf_format(out, ",\"%s_base64\":null", key);
	}
	if (buf_format(out, "\"%s\":null,\"%s_base64\":\"", key, key) < 0 ||
	    base64_encode(out, s, len) < 0)
		return -1;
	return buf_char(out, '"');
}

int text_number(struct buf *out, const char *key, int64_t n)
{
	return n < 0 ? buf_format(out, ",\"%s\":null", key) :
		       buf_format(out, ",\"%s\":%lld", key, (long long)n);
}

uint64_t text_hash(uint64_t h, const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)s[i]) * UINT64_C(1099511628211);
	return h;
}
