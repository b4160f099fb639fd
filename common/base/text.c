#include "base/text.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/base64.h"
#include "base/utf8.h"

static const char hex[] = "0123456789abcdef";

#define ESCAPE 24 /* room for the longest escape: \xNN for each byte of a character */

/* Returns what is written for the character at s, perhaps in scratch; NULL: itself. len: of the
 * rest. *n: bytes of the character. */
typedef const char *escape_fn(const unsigned char *s, size_t len, size_t *n, char scratch[ESCAPE]);

static int add_escaped(struct buf *out, const char *s, size_t len, escape_fn *escape)
{
	size_t before = out->len, done = 0, i, n;
	char scratch[ESCAPE];

	for (i = 0; i < len; i += n) {
		const char *written = escape((const unsigned char *)s + i, len - i, &n, scratch);

		if (written == NULL)
			continue;
		if (buf_add(out, s + done, i - done) < 0 || buf_text(out, written) < 0)
			goto fail;
		done = i + n;
	}
	if (buf_add(out, s + done, len - done) == 0)
		return 0;
fail:
	out->len = before;
	return -1;
}

static const char *tsv_escape(const unsigned char *s, size_t len, size_t *n, char scratch[ESCAPE])
{
	(void)len;
	(void)scratch;
	*n = 1;
	switch (*s) {
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

/* point: the number of the character that has the n bytes at p. */
static unsigned point(const unsigned char *p, size_t n)
{
	static const unsigned char first[] = {0, 0x7f, 0x1f, 0xf, 7};
	unsigned c = p[0] & first[n];

	for (size_t i = 1; i < n; i++)
		c = c << 6 | (p[i] & 0x3f);
	return c;
}

/* acts: may a terminal act on this character rather than show it? */
static bool acts(unsigned c)
{
	/* soft hyphen, marks of direction, joiners, separators, tags: nothing is seen of them */
	static const unsigned ranges[][2] = {
		{0, 0x1f}, {0x7f, 0x9f}, {0xad, 0xad}, {0x61c, 0x61c}, {0x180e, 0x180e},
		{0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f}, {0xfeff, 0xfeff},
		{0xfff9, 0xfffb}, {0xe0000, 0xe0fff}};

	if (c >= 0x20 && c < 0x7f)
		return false;
	for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
		if (c >= ranges[i][0] && c <= ranges[i][1])
			return true;
	return false;
}

/* act_escape escapes only what a terminal might act on, and bytes that are no character. */
static const char *act_escape(const unsigned char *s, size_t len, size_t *n, char scratch[ESCAPE])
{
	const char *named = NULL;

	*n = utf8_length((const char *)s, len);
	if (*n > 0 && !acts(point(s, *n)))
		return NULL;
	if (*n == 1)
		named = tsv_escape(s, len, n, scratch);
	*n = *n > 0 ? *n : 1;
	for (size_t i = 0; i < *n; i++) {
		memcpy(scratch + 4 * i, "\\x", 2);
		scratch[4 * i + 2] = hex[s[i] >> 4];
		scratch[4 * i + 3] = hex[s[i] & 15];
	}
	scratch[4 * *n] = '\0';
	return named ? named : scratch;
}

static const char *line_escape(const unsigned char *s, size_t len, size_t *n, char scratch[ESCAPE])
{
	return (*s == '\\' ? tsv_escape : act_escape)(s, len, n, scratch);
}

int text_line(struct buf *out, const char *s, size_t len)
{
	return add_escaped(out, s, len, line_escape);
}

static const char *json_escape(const unsigned char *s, size_t len, size_t *n, char scratch[ESCAPE])
{
	static const char plain[] = "\"\\\b\f\n\r\t", named[] = "\"\\bfnrt";
	const char *at = *s ? strchr(plain, *s) : NULL;
	unsigned c;

	*n = 1;
	if (at) {
		snprintf(scratch, ESCAPE, "\\%c", named[at - plain]);
		return scratch;
	}
	if (*s >= 0x20 && *s < 0x7f)
		return NULL;
	*n = utf8_length((const char *)s, len);
	c = point(s, *n);
	if (*n == 0 || !acts(c)) {
		*n = *n > 0 ? *n : 1;
		return NULL;
	}
	if (c > 0xffff)
		snprintf(scratch, ESCAPE, "\\u%04x\\u%04x", 0xd7c0 + (c >> 10),
			 0xdc00 | (c & 0x3ff));
	else
		snprintf(scratch, ESCAPE, "\\u%04x", c);
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

/* fit writes the escaped text into dst. */
static char *fit(char *dst, size_t cap, const char *s, size_t len, escape_fn *escape)
{
	/* mark: the last position, behind a character, at which "..." still fits */
	size_t n = 0, mark = 0, i, bytes;
	char scratch[ESCAPE];

	for (i = 0; i < len; i += bytes) {
		const char *piece = escape((const unsigned char *)s + i, len - i, &bytes, scratch);
		size_t width = piece ? strlen(piece) : bytes;

		if (n + width >= cap) {
			memcpy(dst + mark, "...", 4);
			return dst;
		}
		memcpy(dst + n, piece ? piece : s + i, width);
		n += width;
		if (n + 3 < cap)
			mark = n;
	}
	dst[n] = '\0';
	return dst;
}

char *text_shown(char *dst, size_t cap, const char *s, size_t len)
{
	return fit(dst, cap, s, len, line_escape);
}

char *text_harmless(char *dst, size_t cap, const char *s, size_t len)
{
	return fit(dst, cap, s, len, act_escape);
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
