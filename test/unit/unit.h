/* unit: checks that count themselves and go on. A test's main ends with "return unit_end();". */
#ifndef DQ_UNIT_H
#define DQ_UNIT_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int unit_checks;
static int unit_failed;

#define CHECK(cond) unit_check((cond), #cond, __FILE__, __LINE__)
#define check_int(got, want) unit_int((got), (want), #got, __FILE__, __LINE__)
#define check_text(got, want) unit_text((got), (want), #got, __FILE__, __LINE__)
#define check_bytes(got, got_len, want, want_len) \
	unit_bytes((got), (got_len), (want), (want_len), #got, __FILE__, __LINE__)
/* For tables: which row it was. */
#define check_row(cond, row) unit_row((cond), #cond, (row), __FILE__, __LINE__)

static inline bool unit_count(bool ok, const char *file, int line)
{
	unit_checks++;
	if (ok)
		return true;
	unit_failed++;
	printf("not ok %d - %s:%d: ", unit_checks, file, line);
	return false;
}

static inline void unit_check(bool ok, const char *what, const char *file, int line)
{
	if (!unit_count(ok, file, line))
		printf("%s\n", what);
}

static inline void unit_row(bool ok, const char *what, const char *row, const char *file, int line)
{
	if (!unit_count(ok, file, line))
		printf("%s, for '%s'\n", what, row);
}

static inline void unit_int(int64_t got, int64_t want, const char *what, const char *file, int line)
{
	if (!unit_count(got == want, file, line))
		printf("%s is %" PRId64 ", not %" PRId64 "\n", what, got, want);
}

static inline void unit_text(const char *got, const char *want, const char *what, const char *file,
			     int line)
{
	if (!unit_count(strcmp(got, want) == 0, file, line))
		printf("%s is '%s', not '%s'\n", what, got, want);
}

static inline void unit_hex(const char *bytes, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		printf("%02x", (unsigned)(unsigned char)bytes[i]);
}

static inline void unit_bytes(const char *got, size_t got_len, const char *want, size_t want_len,
			      const char *what, const char *file, int line)
{
	bool same = got_len == want_len && (got_len == 0 || memcmp(got, want, got_len) == 0);

	if (unit_count(same, file, line))
		return;
	printf("%s is ", what);
	unit_hex(got, got_len);
	printf(", not ");
	unit_hex(want, want_len);
	printf("\n");
}

static inline int unit_end(void)
{
	printf("%d checks, %d failed\n", unit_checks, unit_failed);
	return fflush(stdout) != 0 || unit_failed > 0;
}

#endif
