#include "base/num.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "base/text.h"

#define SHOWN 100
#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

struct unit {
	const char *name;
	int64_t size;
};

/* In the order of their use in a duration. */
static const struct unit durations[] = {
	{ "w", 604800000 }, { "d", 86400000 }, { "h", 3600000 }, { "m", 60000 }, { "s", 1000 },
	{ "ms", 1 },
};
#define DURATIONS (sizeof durations / sizeof durations[0])
#define SECONDS 4

static const struct unit sizes[] = {
	{ "", 1 },
	{ "k", 1 << 10 }, { "KiB", 1 << 10 },
	{ "M", 1 << 20 }, { "MiB", 1 << 20 },
	{ "G", 1 << 30 }, { "GiB", 1 << 30 },
};
#define SIZES (sizeof sizes / sizeof sizes[0])

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* read_digits reads one or more digits and moves *s behind them;
 * *out is -1 if they exceed int64_t. */
static bool read_digits(const char **s, int64_t *out)
{
	const char *p = *s;
	int64_t n = 0;

	for (; is_digit(*p); p++) {
		int digit = *p - '0';

		if (n < 0 || n > (INT64_MAX - digit) / 10)
			n = -1;
		else
			n = n * 10 + digit;
	}
	if (p == *s)
		return false;
	*s = p;
	*out = n;
	return true;
}

int num_parse(const char *s, int64_t min, int64_t max, const char *what, int64_t *out,
	      struct err *e)
{
	const char *p = s;
	int64_t n;
	char shown[SHOWN];

	if (!read_digits(&p, &n) || *p != '\0' || n < 0 || n < min || n > max)
		return err_set(e, DQ_USAGE,
			       "%s: \"%s\": not a whole number from %" PRId64 " to %" PRId64, what,
			       text_shown(shown, sizeof shown, s, strlen(s)), min, max);
	*out = n;
	return 0;
}

/* find_unit returns the index in units of the len bytes at name, or count. */
static size_t find_unit(const struct unit *units, size_t count, const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (strlen(units[i].name) == len && memcmp(units[i].name, name, len) == 0)
			break;
	return i;
}

static bool read_size(const char *s, int64_t *out)
{
	int64_t n;
	size_t unit;

	if (!read_digits(&s, &n) || n < 0)
		return false;
	unit = find_unit(sizes, SIZES, s, strlen(s));
	if (unit == SIZES || n > INT64_MAX / sizes[unit].size)
		return false;
	*out = n * sizes[unit].size;
	return true;
}

int num_size(const char *s, int64_t min, int64_t max, const char *what, int64_t *out, struct err *e)
{
	int64_t n;
	char shown[SHOWN];

	if (!read_size(s, &n) || n < min || n > max)
		return err_set(e, DQ_USAGE, "%s: \"%s\": not a size from %" PRId64 " to %" PRId64
		               " bytes (such as 4096, 64k, 1M)", what,
		               text_shown(shown, sizeof shown, s, strlen(s)), min, max);
	*out = n;
	return 0;
}

/* fraction_up returns 0.DIGITS times size, rounded up. It begins at the right: rounding up at each
 * digit is then exact for any number of digits. */
static int64_t fraction_up(const char *digits, const char *end, int64_t size)
{
	int64_t n = 0;

	while (end > digits)
		n = ((*--end - '0') * size + n + 9) / 10;
	return n;
}

/* read_unit reads the unit at *s: number *next of durations, or a later one. A first number without
 * a unit means seconds. */
static bool read_unit(const char **s, size_t *next, int64_t *size)
{
	size_t len = strspn(*s, LETTERS);
	size_t unit = SECONDS;

	bool minutes = len == 3 && !memcmp(*s, "min", 3);

	if (len > 0 || **s != '\0' || *next > 0)
		unit = find_unit(durations, DURATIONS, *s, minutes ? 1 : len);
	if (unit == DURATIONS || unit < *next)
		return false;
	*s += len;
	*next = unit + 1;
	*size = durations[unit].size;
	return true;
}

/* read_part reads NUMBER[.FRACTION]UNIT and adds it to *ms,
 * which is at most NUM_DURATION_MAX + 1. */
static bool read_part(const char **s, size_t *next, int64_t *ms)
{
	const char *fraction, *end;
	int64_t whole, ignored, size;

	if (!read_digits(s, &whole))
		return false;
	fraction = end = *s;
	if (**s == '.') {
		fraction = ++*s;
		if (!read_digits(s, &ignored))
			return false;
		end = *s;
	}
	if (!read_unit(s, next, &size))
		return false;
	if (whole < 0 || whole > NUM_DURATION_MAX / size)
		*ms = NUM_DURATION_MAX + 1;
	else
		*ms += whole * size + fraction_up(fraction, end, size);
	if (*ms > NUM_DURATION_MAX)
		*ms = NUM_DURATION_MAX + 1;
	return true;
}

/* is_bare: a number that was read, without a unit. */
static bool is_bare(const char *s)
{
	return s[strspn(s, "0123456789.")] == '\0';
}

int num_duration(const char *s, int64_t *ms, struct err *e)
{
	const char *p = s;
	size_t next = 0;
	int64_t sum = 0;
	char shown[SHOWN];

	text_shown(shown, sizeof shown, s, strlen(s));
	do {
		if (!read_part(&p, &next, &sum))
			return err_set(e, DQ_USAGE,
				       "\"%s\": not a duration (such as 500ms, 90s, 1h30m, 2d)",
				       shown);
	} while (*p != '\0');
	if (sum > NUM_BARE_MAX && is_bare(s))
		return err_set(e, DQ_USAGE,
			       "\"%s\": over 10 years a duration needs a unit (such as 4000d)",
			       shown);
	if (sum > NUM_DURATION_MAX)
		return err_set(e, DQ_USAGE, "\"%s\": a duration is at most 36525d", shown);
	*ms = sum;
	return 0;
}
