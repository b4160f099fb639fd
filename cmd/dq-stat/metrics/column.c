#include "column.h"

/* Each byte has 7 bits of the number, the lowest first.
 * In all bytes but the last the eighth bit is set. */
int column_add(struct buf *column, int64_t number)
{
	uint64_t left = (uint64_t)number;

	for (; left > 127; left >>= 7)
		if (buf_char(column, (char)(left & 127) | (char)-128) < 0)
			return -1;
	return buf_char(column, (char)left);
}

int64_t column_next(const char **at)
{
	uint64_t number = 0;
	unsigned shift = 0;
	unsigned char c;

	do {
		c = (unsigned char)*(*at)++;
		number |= (uint64_t)(c & 127) << shift;
		shift += 7;
	} while (c & 128);
	return (int64_t)number;
}
