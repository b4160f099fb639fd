#include "base/utf8.h"

/* opens returns the length of the sequence that a first byte opens (0: none), and the bounds of
 * its second byte. These bounds exclude overlong forms (e0, f0), surrogates (ed) and values
 * beyond U+10FFFF (f4). */
static size_t opens(unsigned char c, unsigned char *low, unsigned char *high)
{
	*low = c == 0xe0 ? 0xa0 : c == 0xf0 ? 0x90 : 0x80;
	*high = c == 0xed ? 0x9f : c == 0xf4 ? 0x8f : 0xbf;
	if (c < 0x80)
		return 1;
	if (c >= 0xc2 && c <= 0xdf)
		return 2;
	if (c >= 0xe0 && c <= 0xef)
		return 3;
	if (c >= 0xf0 && c <= 0xf4)
		return 4;
	return 0;
}

size_t utf8_length(const char *s, size_t len)
{
	const unsigned char *p = (const unsigned char *)s;
	unsigned char low, high;
	size_t n = opens(p[0], &low, &high);

	if (n > len)
		return 0;
	for (size_t i = 1; i < n; i++) {
		if (p[i] < low || p[i] > high)
			return 0;
		low = 0x80;
		high = 0xbf;
	}
	return n;
}

size_t utf8_cut(const char *s, size_t len, size_t max)
{
	unsigned char low, high;

	if (len <= max)
		return len;
	for (size_t back = 1; back < UTF8_MAX && back <= max; back++) {
		unsigned char c = (unsigned char)s[max - back];
		if ((c & 0xc0) != 0x80)
			return opens(c, &low, &high) > back ? max - back : max;
	}
	return max;
}
