#include "base/base64.h"

#include <stdint.h>
#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

int base64_encode(struct buf *out, const char *s, size_t len)
{
	const unsigned char *p = (const unsigned char *)s;

	if (len > SIZE_MAX / 4 || buf_reserve(out, (len + 2) / 3 * 4) < 0)
		return -1;
	for (size_t i = 0; i < len; i += 3) {
		size_t n = len - i < 3 ? len - i : 3;
		unsigned bits = (unsigned)p[i] << 16;
		char *q = out->bytes + out->len;

		if (n > 1)
			bits |= (unsigned)p[i + 1] << 8;
		if (n > 2)
			bits |= p[i + 2];
		q[0] = digits[bits >> 18];
		q[1] = digits[bits >> 12 & 63];
		q[2] = n > 1 ? digits[bits >> 6 & 63] : '=';
		q[3] = n > 2 ? digits[bits & 63] : '=';
		out->len += 4;
	}
	return 0;
}

static int value_of(char c)
{
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

int base64_decode(char *s, size_t *len, struct err *e)
{
	size_t n = *len, out = 0;
	unsigned long bits = 0;

	while (n && *len - n < 2 && s[n - 1] == '=')
		n--;
	if (*len % 4 != 0 || n % 4 == 1)
		return err_set(e, DQ_DATA, "not base64: wrong length");
	for (size_t i = 0; i < n; i++) {
		int value = value_of(s[i]);
		if (value < 0)
			return err_set(e, DQ_DATA, "not base64: byte %zu", i + 1);
		bits = bits << 6 | (unsigned long)value;
		if (i % 4 != 0) /* each digit but the first of four completes a byte */
			s[out++] = (char)(bits >> (6 - 2 * (i % 4)) & 0xff);
	}
	*len = out;
	return 0;
}
