/* json: is a text one JSON value, in valid UTF-8 and without a control byte? */
#ifndef DQ_FUZZ_JSON_H
#define DQ_FUZZ_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/text.h"

static inline const char *json_string(const char *s)
{
	if (*s++ != '"')
		return NULL;
	for (; *s != '"'; s++) {
		if ((unsigned char)*s < 0x20 || *s == 0x7f)
			return NULL;
		if (*s != '\\')
			continue;
		if (*++s == 'u' && strspn(s + 1, "0123456789abcdef") >= 4)
			s += 4;
		else if (*s == '\0' || strchr("\"\\bfnrt", *s) == NULL)
			return NULL;
	}
	return s + 1;
}

/* As RFC 8259 has it: no leading zeros. */
static inline const char *json_number(const char *s)
{
	size_t digits;

	s += *s == '-';
	digits = strspn(s, "0123456789");
	return digits == 0 || (digits > 1 && *s == '0') ? NULL : s + digits;
}

static inline const char *json_word(const char *s, const char *word)
{
	return strncmp(s, word, strlen(word)) != 0 ? NULL : s + strlen(word);
}

static inline const char *json_value(const char *s, int depth);

static inline const char *json_many(const char *s, char end, int depth)
{
	if (*s == end)
		return s + 1;
	for (;; s++) {
		if (end == '}') {
			s = json_string(s);
			if (s == NULL || *s++ != ':')
				return NULL;
		}
		s = json_value(s, depth + 1);
		if (s == NULL || *s == end)
			return s == NULL ? NULL : s + 1;
		if (*s != ',')
			return NULL;
	}
}

/* json_value returns what follows the value, or NULL. Ours are written without white space. */
static inline const char *json_value(const char *s, int depth)
{
	if (depth > 8)
		return NULL;
	switch (*s) {
	case '{': return json_many(s + 1, '}', depth);
	case '[': return json_many(s + 1, ']', depth);
	case '"': return json_string(s);
	case 'n': return json_word(s, "null");
	case 't': return json_word(s, "true");
	case 'f': return json_word(s, "false");
	default: return json_number(s);
	}
}

/* json_valid wants s[len] to be NUL. */
static inline bool json_valid(const char *s, size_t len)
{
	return text_utf8(s, len) && json_value(s, 0) == s + len;
}

#endif
