/* fuzz: what the fuzzers share. Each fuzz_X.c is a libFuzzer target; a property that does not hold
 * ends it as a crash does. */
#ifndef DQ_FUZZ_H
#define DQ_FUZZ_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define HOLDS(cond) fuzz_holds((cond), #cond, __FILE__, __LINE__)

static inline void fuzz_holds(bool ok, const char *what, const char *file, int line)
{
	if (ok)
		return;
	fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
	abort();
}

/* fuzz_text copies the bytes, so that one read beyond them is seen, and ends them with NUL.
 * Free it. */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
	char *s = malloc(size + 1);

	HOLDS(s != NULL);
	if (size > 0)
		memcpy(s, data, size);
	s[size] = '\0';
	return s;
}

/* fuzz_bytes copies them without NUL. Free it. */
static inline char *fuzz_bytes(const uint8_t *data, size_t size)
{
	char *s = malloc(size > 0 ? size : 1);

	HOLDS(s != NULL);
	if (size > 0)
		memcpy(s, data, size);
	return s;
}

/* fuzz_printable: UTF-8 without controls, also those of direction and width. */
static inline bool fuzz_printable(const char *s, size_t len)
{
	static const char *const acting[][2] = {
		{"\1", "\x1f"}, {"\x7f", "\x7f"},
		{"\xc2\x80", "\xc2\x9f"}, {"\xc2\xad", "\xc2\xad"},
		{"\xd8\x9c", "\xd8\x9c"}, {"\xe1\xa0\x8e", "\xe1\xa0\x8e"},
		{"\xe2\x80\x8b", "\xe2\x80\x8f"}, {"\xe2\x80\xa8", "\xe2\x80\xae"},
		{"\xe2\x81\xa0", "\xe2\x81\xaf"}, {"\xef\xbb\xbf", "\xef\xbb\xbf"},
		{"\xef\xbf\xb9", "\xef\xbf\xbb"}, {"\xf3\xa0\x80\x80", "\xf3\xa0\xbf\xbf"}};

	for (size_t i = 0, n; i < len; i += n) {
		n = utf8_length(s + i, len - i);
		if (n == 0 || s[i] == '\0')
			return false;
		for (size_t j = 0; j < sizeof acting / sizeof *acting; j++)
			if (strlen(acting[j][0]) == n && memcmp(s + i, acting[j][0], n) >= 0 &&
			    memcmp(s + i, acting[j][1], n) <= 0)
				return false;
	}
	return true;
}

/* fuzz_refused: a refusal has a status and a sentence that is safe on a terminal. */
static inline void fuzz_refused(const struct err *e, enum status status)
{
	HOLDS(e->status == status);
	HOLDS(e->text[0] != '\0' && strlen(e->text) < sizeof e->text);
	HOLDS(fuzz_printable(e->text, strlen(e->text)));
}

#endif
