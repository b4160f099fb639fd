#include "base/buf.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CAP_FIRST 64

int buf_reserve(struct buf *b, size_t more)
{
	size_t cap = b->cap > 0 ? b->cap : CAP_FIRST;
	char *bytes;

	if (more <= b->cap - b->len)
		return 0;
	if (more > SIZE_MAX / 2 - b->len)
		return -1;
	while (cap < b->len + more)
		cap *= 2; /* cannot overflow: the needed size is at most half of SIZE_MAX */
	bytes = realloc(b->bytes, cap);
	if (bytes == NULL)
		return -1;
	b->bytes = bytes;
	b->cap = cap;
	return 0;
}

int buf_add(struct buf *b, const void *bytes, size_t len)
{
	if (len == 0)
		return 0;
	if (buf_reserve(b, len) < 0)
		return -1;
	memcpy(b->bytes + b->len, bytes, len);
	b->len += len;
	return 0;
}

int buf_char(struct buf *b, char c)
{
	return buf_add(b, &c, 1);
}

int buf_text(struct buf *b, const char *s)
{
	return buf_add(b, s, strlen(s));
}

int buf_format(struct buf *b, const char *format, ...)
{
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (len < 0)
		return -1;
	if (buf_reserve(b, (size_t)len + 1) < 0) /* vsnprintf needs room for its NUL */
		return -1;
	va_start(args, format);
	len = vsnprintf(b->bytes + b->len, (size_t)len + 1, format, args);
	va_end(args);
	if (len < 0)
		return -1;
	b->len += (size_t)len;
	return 0;
}

void buf_drop(struct buf *b, size_t n)
{
	if (n >= b->len) {
		b->len = 0;
		return;
	}
	memmove(b->bytes, b->bytes + n, b->len - n);
	b->len -= n;
}

size_t buf_shift(struct buf *b, size_t n)
{
	if (n <= b->len / 2)
		return n;
	buf_drop(b, n);
	return 0;
}

void buf_free(struct buf *b)
{
	free(b->bytes);
	*b = (struct buf){ 0 };
}
