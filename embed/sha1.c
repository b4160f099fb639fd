#include "sha1.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint32_t rol(uint32_t x, int n)
{
	return x << n | x >> (32 - n);
}

static void sha1_block(uint32_t h[5], const unsigned char *p)
{
	uint32_t w[80], a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];

	for (size_t i = 0; i < 16; i++)
		w[i] = (uint32_t)p[4 * i] << 24 | (uint32_t)p[4 * i + 1] << 16 |
		       (uint32_t)p[4 * i + 2] << 8 | p[4 * i + 3];
	for (int i = 16; i < 80; i++)
		w[i] = rol(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
	for (int i = 0; i < 80; i++) {
		uint32_t f = i < 20            ? (b & c) | (~b & d) :
			     i >= 40 && i < 60 ? (b & c) | (b & d) | (c & d) :
						 b ^ c ^ d;
		uint32_t k = i < 20 ? 0x5a827999 :
			     i < 40 ? 0x6ed9eba1 :
			     i < 60 ? 0x8f1bbcdc :
				      0xca62c1d6;
		uint32_t t = rol(a, 5) + f + e + k + w[i];

		e = d;
		d = c;
		c = rol(b, 30);
		b = a;
		a = t;
	}
	h[0] += a;
	h[1] += b;
	h[2] += c;
	h[3] += d;
	h[4] += e;
}

void sha1_hex(const char *s, size_t len, char hex[41])
{
	uint32_t h[5] = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0 };
	unsigned char last[128] = { 0 };
	size_t rest = len % 64, end = rest < 56 ? 64 : 128;

	for (size_t i = 0; i + 64 <= len; i += 64)
		sha1_block(h, (const unsigned char *)s + i);
	if (rest > 0)
		memcpy(last, s + len - rest, rest);
	last[rest] = 0x80;
	for (size_t i = 0; i < 8; i++)
		last[end - 1 - i] = (unsigned char)((uint64_t)len * 8 >> (8 * i));
	for (size_t i = 0; i < end; i += 64)
		sha1_block(h, last + i);
	for (int i = 0; i < 5; i++)
		snprintf(hex + (size_t)8 * (size_t)i, 9, "%08x", (unsigned)h[i]);
}
