/* Escaping: what is written is safe where it goes,
 * and what is meant to be read back reads back as it was. */
#include "base/base64.h"
#include "dq-stat/table/table.h"
#include "base/text.h"
#include "fuzz.h"

static void tsv(const char *s, size_t len)
{
	struct buf b = {0};

	HOLDS(text_tsv(&b, s, len) == 0);
	HOLDS(b.len >= len && b.len <= 2 * len);
	for (size_t i = 0; i < b.len; i++)
		HOLDS(b.bytes[i] != '\t' && b.bytes[i] != '\n' && b.bytes[i] != '\r' &&
		      b.bytes[i] != '\0');
	if (b.len > 0)
		HOLDS(text_untsv(b.bytes, b.len) == len && !memcmp(b.bytes, s, len));
	buf_free(&b);
}

/* Undoing never grows, and what came out escapes to something that undoes to the same. */
static void untsv(const char *s, size_t len)
{
	struct buf b = {0}, again = {0};

	HOLDS(buf_add(&b, s, len) == 0 && buf_char(&b, 0) == 0);
	b.len = text_untsv(b.bytes, len);
	HOLDS(b.len <= len);
	HOLDS(text_tsv(&again, b.bytes, b.len) == 0);
	if (again.len > 0)
		HOLDS(text_untsv(again.bytes, again.len) == b.len &&
		      !memcmp(again.bytes, b.bytes, b.len));
	buf_free(&again);
	buf_free(&b);
}

static int hex(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* unshown undoes text_shown; returns the length, or -1 where it is none. */
static long unshown(char *s)
{
	static const char names[] = "nrt\\0", values[] = "\n\r\t\\";
	char *to = s;

	for (char *p = s; *p != '\0'; p++) {
		const char *name = *p == '\\' && p[1] != '\0' ? strchr(names, p[1]) : NULL;

		if (*p != '\\') {
			*to++ = *p;
		} else if (name != NULL) {
			*to++ = values[name - names];
			p++;
		} else {
			if (p[1] != 'x' || hex(p[2]) < 0 || hex(p[3]) < 0)
				return -1;
			*to++ = (char)(hex(p[2]) << 4 | hex(p[3]));
			p += 3;
		}
	}
	return to - s;
}

static void shown(const char *s, size_t len)
{
	size_t cap = 4 * len + 1;
	char cut[8], *all = malloc(cap < 8 ? 8 : cap);

	HOLDS(all != NULL);
	HOLDS(text_shown(all, cap < 8 ? 8 : cap, s, len) == all);
	HOLDS(fuzz_printable(all, strlen(all)));
	HOLDS(unshown(all) == (long)len && !memcmp(all, s, len));
	text_shown(cut, sizeof cut, s, len);
	HOLDS(memchr(cut, '\0', sizeof cut) != NULL && fuzz_printable(cut, strlen(cut)));
	free(all);
}

/* unit reads \uNNNN, or returns -1. */
static long unit(const char *s)
{
	long c = 0;

	if (s[0] != '\\' || s[1] != 'u')
		return -1;
	for (int i = 2; i < 6; i++) {
		if (hex(s[i]) < 0)
			return -1;
		c = c << 4 | hex(s[i]);
	}
	return c;
}

/* encode writes the character, and returns its bytes. */
static size_t encode(char *to, long c)
{
	size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	static const int first[] = {0, 0, 0xc0, 0xe0, 0xf0};

	for (size_t i = n; i-- > 1; c >>= 6)
		to[i] = (char)(0x80 | (c & 0x3f));
	to[0] = (char)(first[n] | c);
	return n;
}

/* unjson undoes text_json in place: the length, or -1 where it is no JSON string. */
static long unjson(char *s, size_t len)
{
	static const char names[] = "\"\\bfnrt", values[] = "\"\\\b\f\n\r\t";
	size_t to = 0;

	if (len < 2 || s[0] != '"' || s[len - 1] != '"')
		return -1;
	for (size_t i = 1; i < len - 1; i++) {
		const char *name = s[i] == '\\' && s[i + 1] != '\0' ? strchr(names, s[i + 1]) :
								      NULL;
		long c, low;

		if ((unsigned char)s[i] < 0x20 || s[i] == 0x7f || s[i] == '"')
			return -1;
		if (s[i] != '\\') {
			s[to++] = s[i];
		} else if (name != NULL) {
			s[to++] = values[name - names];
			i++;
		} else {
			c = len - i < 7 ? -1 : unit(s + i);
			low = c >> 10 != 0x36 || len - i < 13 ? -1 : unit(s + i + 6);
			if (c < 0)
				return -1;
			i += low < 0 ? 5 : 11;
			to += encode(s + to, low < 0 ? c : ((c - 0xd7c0) << 10) + (low & 0x3ff));
		}
	}
	return (long)to;
}

static void json(const char *s, size_t len)
{
	struct buf b = {0};

	HOLDS(text_json(&b, s, len) == 0 && text_utf8(b.bytes, b.len) == text_utf8(s, len));
	HOLDS(!text_utf8(s, len) || fuzz_printable(b.bytes, b.len));
	HOLDS(unjson(b.bytes, b.len) == (long)len && !memcmp(b.bytes, s, len));
	buf_free(&b);
}

static void base64(const char *s, size_t len)
{
	struct buf b = {0};
	struct err e;
	size_t n;

	HOLDS(base64_encode(&b, s, len) == 0 && b.len == (len + 2) / 3 * 4);
	n = b.len;
	HOLDS(base64_decode(b.bytes, &n, &e) == 0 && n == len &&
	      (len == 0 || !memcmp(b.bytes, s, len)));
	b.len = 0;
	HOLDS(buf_add(&b, s, len) == 0 && buf_char(&b, 0) == 0);
	n = len;
	if (base64_decode(b.bytes, &n, &e) < 0)
		fuzz_refused(&e, DQ_DATA);
	else
		HOLDS(n <= len / 4 * 3);
	buf_free(&b);
}

static void table(const char *s, size_t len)
{
	struct table t = {.columns = 2};
	struct buf out = {0};
	char cell[64];

	text_shown(cell, sizeof cell, s, len);
	HOLDS(table_cell(&t, cell) == 0 && table_cell(&t, "1") == 0 && table_write(&t, &out) == 0);
	HOLDS(out.len >= strlen(cell) + 2 && !memcmp(out.bytes, cell, strlen(cell)) &&
	      out.bytes[out.len - 1] == '\n');
	buf_free(&out);
	table_free(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *s = fuzz_bytes(data, size);

	tsv(s, size);
	untsv(s, size);
	shown(s, size);
	json(s, size);
	base64(s, size);
	table(s, size);
	free(s);
	return 0;
}
