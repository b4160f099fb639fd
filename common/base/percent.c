#include "base/percent.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* hex_byte needs no length: the byte behind a span, or its NUL, is no hex digit. */
static int hex_byte(const char *s)
{
	if (!isxdigit((unsigned char)s[0]) || !isxdigit((unsigned char)s[1]))
		return -1;
	return (int)strtol((char[3]){s[0], s[1], '\0'}, NULL, 16);
}

int percent_decode(const char *s, size_t len, char *dst, size_t cap, size_t *length)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++, n++) {
		int c = (unsigned char)s[i];

		if (c == '%') {
			c = hex_byte(s + i + 1);
			i += 2;
		}
		if (c <= 0)
			return -1;
		if (n < cap - 1)
			dst[n] = (char)c;
	}
	*length = n;
	return 0;
}

int percent_text(const char *s, size_t len, char *dst, size_t cap, const char *what, struct err *e)
{
	size_t length;

	if (percent_decode(s, len, dst, cap, &length) < 0)
		return err_set(e, DQ_USAGE, "bad %%-escape in the %s: use %%01 to %%FF", what);
	if (length >= cap)
		return err_set(e, DQ_USAGE, "the %s is %zu bytes long, at most %zu are possible",
			       what, length, cap - 1);
	return 0;
}

void percent_encode(char *out, const char *s, const char *plain, size_t max)
{
	size_t n = strlen(out), end = n + max;

	for (; *s != '\0' && n + 3 <= end; s++)
		n += (size_t)snprintf(out + n, 4, strchr(plain, *s) != NULL ? "%c" : "%%%02X",
				      (unsigned char)*s);
	if (*s != '\0')
		strcpy(out + n, "...");
}
