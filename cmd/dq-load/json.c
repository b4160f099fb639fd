#include "json.h"

#include <string.h>

#include "base/text.h"

#define NUMBER_MAX ((INT64_C(1) << 53) - 1)

struct reader {
	char *start, *at, *end;
	struct err *e;
};

static int fail(struct reader *r, const char *what)
{
	return err_set(r->e, DQ_DATA, "not JSON as dq-dump writes it: %s at byte %zu", what,
		       (size_t)(r->at - r->start) + 1);
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static void skip_blanks(struct reader *r)
{
	while (r->at < r->end &&
	       (*r->at == ' ' || *r->at == '\t' || *r->at == '\r' || *r->at == '\n'))
		r->at++;
}

/* take: if c is next, it moves past c. */
static bool take(struct reader *r, char c)
{
	skip_blanks(r);
	if (r->at == r->end || *r->at != c)
		return false;
	r->at++;
	return true;
}

/* hex4 reads four hexadecimal digits; -1: there are other characters. */
static long hex4(const struct reader *r, const char *s)
{
	long n = 0;

	if (r->end - s < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		char c = s[i];
		int digit = is_digit(c)          ? c - '0' :
			    c >= 'a' && c <= 'f' ? c - 'a' + 10 :
			    c >= 'A' && c <= 'F' ? c - 'A' + 10 :
						   -1;
		if (digit < 0)
			return -1;
		n = n * 16 + digit;
	}
	return n;
}

/* put_utf8 never writes more bytes than the escape sequence had. */
static char *put_utf8(char *to, unsigned long c)
{
	if (c < 0x80) {
		*to++ = (char)c;
	} else if (c < 0x800) {
		*to++ = (char)(0xc0 | c >> 6);
		*to++ = (char)(0x80 | (c & 0x3f));
	} else if (c < 0x10000) {
		*to++ = (char)(0xe0 | c >> 12);
		*to++ = (char)(0x80 | (c >> 6 & 0x3f));
		*to++ = (char)(0x80 | (c & 0x3f));
	} else {
		*to++ = (char)(0xf0 | c >> 18);
		*to++ = (char)(0x80 | (c >> 12 & 0x3f));
		*to++ = (char)(0x80 | (c >> 6 & 0x3f));
		*to++ = (char)(0x80 | (c & 0x3f));
	}
	return to;
}

/* read_code reads the digits behind \u, and the second half of a surrogate pair.
 * It moves *to behind the character. */
static int read_code(struct reader *r, char **to)
{
	long c = hex4(r, r->at), low;

	if (c < 0)
		return fail(r, "not four hexadecimal digits after \\u");
	if (c >= 0xdc00 && c < 0xe000)
		return fail(r, "half of a surrogate pair");
	r->at += 4;
	if (c >= 0xd800 && c < 0xdc00) {
		low = r->end - r->at >= 6 && r->at[0] == '\\' && r->at[1] == 'u' ?
			      hex4(r, r->at + 2) :
			      -1;
		if (low < 0xdc00 || low >= 0xe000)
			return fail(r, "half of a surrogate pair");
		r->at += 6;
		c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
	}
	*to = put_utf8(*to, (unsigned long)c);
	return 0;
}

/* read_escape reads a backslash and its character. */
static int read_escape(struct reader *r, char **to)
{
	static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
	const char *name;

	r->at++;
	name = r->at < r->end && *r->at ? strchr(names, *r->at) : NULL;
	if (name) {
		*(*to)++ = values[name - names];
		r->at++;
		return 0;
	}
	if (r->at == r->end || *r->at != 'u')
		return fail(r, "no such escape");
	r->at++;
	return read_code(r, to);
}

/* read_text reads from behind a quote to the closing quote, and unescapes the text in place. */
static int read_text(struct reader *r, char **text, size_t *len)
{
	char *to = r->at;

	*text = to;
	while (r->at < r->end && *r->at != '"') {
		char *from = r->at;
		while (r->at < r->end && (unsigned char)*r->at >= 0x20 && *r->at != '"' &&
		       *r->at != '\\')
			r->at++;
		if (to != from)
			memmove(to, from, (size_t)(r->at - from));
		to += r->at - from;
		if (r->at < r->end && (unsigned char)*r->at < 0x20)
			return fail(r, "a control byte in a text");
		if (r->at < r->end && *r->at == '\\' && read_escape(r, &to) < 0)
			return -1;
	}
	if (r->at == r->end)
		return fail(r, "the text is cut off");
	r->at++;
	*len = (size_t)(to - *text);
	return 0;
}

static int read_number(struct reader *r, int64_t *n)
{
	bool negative = r->at < r->end && *r->at == '-';
	const char *first = r->at += negative;

	*n = 0;
	for (; r->at < r->end && is_digit(*r->at); r->at++)
		*n = *n > NUMBER_MAX ? *n : *n * 10 + (*r->at - '0');
	if (r->at == first)
		return fail(r, "no value");
	if ((*first == '0' && r->at - first > 1) || *n > NUMBER_MAX ||
	    (r->at < r->end && (*r->at == '.' || (*r->at | 0x20) == 'e')))
		return fail(r, "not a whole number up to 2^53");
	*n = negative ? -*n : *n;
	return 0;
}

static int read_list(struct reader *r, struct json *v)
{
	int64_t n;

	v->kind = JSON_LIST;
	v->text = r->at;
	for (bool first = true; !take(r, ']'); first = false) {
		if (!first && !take(r, ','))
			return fail(r, "no comma");
		skip_blanks(r);
		if (read_number(r, &n) < 0)
			return -1;
	}
	v->len = (size_t)(r->at - v->text);
	return 0;
}

static bool take_word(struct reader *r, const char *word)
{
	size_t len = strlen(word);

	if ((size_t)(r->end - r->at) < len || memcmp(r->at, word, len))
		return false;
	r->at += len;
	return true;
}

/* read_object only passes over it. An escape would be changed in place,
 * so that it could not be read again. */
static int read_object(struct reader *r, struct json *v)
{
	int64_t n;

	v->kind = JSON_OBJECT;
	v->text = r->at - 1;
	for (bool first = true; !take(r, '}'); first = false) {
		if (!first && !take(r, ','))
			return fail(r, "no comma");
		if (!take(r, '"'))
			return fail(r, "no member");
		while (r->at < r->end && *r->at != '"' && *r->at != '\\' &&
		       (unsigned char)*r->at >= 0x20)
			r->at++;
		if (!take(r, '"') || !take(r, ':'))
			return fail(r, "no colon");
		skip_blanks(r);
		if (!take_word(r, "null") && read_number(r, &n) < 0)
			return -1;
	}
	v->len = (size_t)(r->at - v->text);
	return 0;
}

static int read_value(struct reader *r, struct json *v)
{
	skip_blanks(r);
	if (take(r, '"')) {
		v->kind = JSON_TEXT;
		return read_text(r, &v->text, &v->len);
	}
	if (take(r, '['))
		return read_list(r, v);
	if (take(r, '{'))
		return read_object(r, v);
	v->number = take_word(r, "true");
	v->kind = v->number || take_word(r, "false") ? JSON_BOOL :
		  take_word(r, "null")               ? JSON_NULL :
						       JSON_NUMBER;
	return v->kind == JSON_NUMBER ? read_number(r, &v->number) : 0;
}

static int read_member(struct reader *r, const char *const keys[], struct json values[])
{
	char shown[80];
	char *key;
	size_t len, i = 0;

	if (!take(r, '"'))
		return fail(r, "no member");
	if (read_text(r, &key, &len) < 0)
		return -1;
	while (keys[i] && (strlen(keys[i]) != len || memcmp(keys[i], key, len)))
		i++;
	if (!keys[i] || values[i].kind != JSON_ABSENT)
		return err_set(r->e, DQ_DATA, "%s member: \"%s\"", keys[i] ? "repeated" : "unknown",
			       text_shown(shown, sizeof shown, key, len));
	return take(r, ':') ? read_value(r, &values[i]) : fail(r, "no colon");
}

int json_read(char *s, size_t len, const char *const keys[], struct json values[], struct err *e)
{
	struct reader r = {s, s, s + len, e};

	for (size_t i = 0; keys[i]; i++)
		values[i] = (struct json){JSON_ABSENT, 0, NULL, 0};
	if (!text_utf8(s, len))
		return err_set(e, DQ_DATA, "not UTF-8");
	if (!take(&r, '{'))
		return fail(&r, "no object");
	for (bool first = true; !take(&r, '}'); first = false) {
		if (!first && !take(&r, ','))
			return fail(&r, "no comma");
		if (read_member(&r, keys, values) < 0)
			return -1;
	}
	skip_blanks(&r);
	return r.at == r.end ? 0 : fail(&r, "more than an object");
}

bool json_next(const struct json *list, size_t *at, int64_t *n)
{
	struct err ignored;
	struct reader r = {list->text, list->text + *at, list->text + list->len, &ignored};

	if (take(&r, ']'))
		return false;
	take(&r, ',');
	skip_blanks(&r);
	if (read_number(&r, n) < 0)
		return false;
	*at = (size_t)(r.at - r.start);
	return true;
}

bool json_next_member(const struct json *object, size_t *at, char **name, size_t *len,
		      struct json *value)
{
	struct err ignored;
	struct reader r = {object->text, object->text + (*at ? *at : 1), object->text + object->len,
			   &ignored};

	*value = (struct json){JSON_NULL, 0, NULL, 0};
	if (take(&r, '}'))
		return false;
	take(&r, ',');
	if (!take(&r, '"') || read_text(&r, name, len) < 0 || !take(&r, ':'))
		return false;
	skip_blanks(&r);
	if (!take_word(&r, "null")) {
		value->kind = JSON_NUMBER;
		if (read_number(&r, &value->number) < 0)
			return false;
	}
	*at = (size_t)(r.at - r.start);
	return true;
}
