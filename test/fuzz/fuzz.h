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

static inline bool fuzz_printable(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (s[i] < 0x20 || s[i] > 0x7e)
			return false;
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
