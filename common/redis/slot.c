#include "redis/slot.h"

#include <string.h>

/* CRC-16/XMODEM: polynomial 0x1021, initial value 0. Tags are short, and only clusters need it, so
 * there is no table. */
unsigned slot_crc16(const char *bytes, size_t len)
{
	unsigned crc = 0;

	for (size_t i = 0; i < len; i++) {
		crc ^= (unsigned)(unsigned char)bytes[i] << 8;
		for (int bit = 0; bit < 8; bit++)
			crc = crc & 0x8000 ? (crc << 1 ^ 0x1021) & 0xffff : crc << 1 & 0xffff;
	}
	return crc;
}

unsigned slot_of(const char *key, size_t len)
{
	const char *open = len ? memchr(key, '{', len) : NULL;
	size_t rest = open ? len - (size_t)(open + 1 - key) : 0;
	const char *close = rest ? memchr(open + 1, '}', rest) : NULL;

	if (close && close > open + 1)
		return slot_crc16(open + 1, (size_t)(close - open - 1)) % SLOTS;
	return slot_crc16(key, len) % SLOTS;
}
