#include "base/holder.h"

#include <string.h>

static bool is_printable(char c)
{
	return c > ' ' && c <= '~';
}

bool holder_valid(const char *text)
{
	size_t len = 0;

	while (len <= HOLDER_MAX && is_printable(text[len]))
		len++;
	return len > 0 && len <= HOLDER_MAX && !text[len];
}

bool holder_is(const char *holder, size_t len, const char *wanted)
{
	size_t n = strlen(wanted);

	return len >= n && !memcmp(holder, wanted, n) && (len == n || holder[n] == ':');
}

void holder_printable(char *text)
{
	for (; *text; text++)
		if (!is_printable(*text))
			*text = '_';
}
