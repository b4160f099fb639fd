#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fail(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	fputs("embed: ", stderr);
	vfprintf(stderr, format, ap);
	fputc('\n', stderr);
	va_end(ap);
	exit(1);
}

void *grow(void *p, size_t size)
{
	void *more = p ? realloc(p, size) : malloc(size);

	if (!more)
		fail("out of memory");
	return more;
}

void add(struct text *t, const char *bytes, size_t len)
{
	if (!t->bytes || t->cap - t->len < len) {
		t->cap = (t->len + len) * 2 + 1;
		t->bytes = grow(t->bytes, t->cap);
	}
	memcpy(t->bytes + t->len, bytes, len);
	t->len += len;
}

void add_text(struct text *t, const char *s)
{
	add(t, s, strlen(s));
}

char *copy(const char *s, size_t len)
{
	char *p = grow(NULL, len + 1);

	memcpy(p, s, len);
	p[len] = '\0';
	return p;
}

size_t indentation(const char *line, size_t len)
{
	size_t blank = 0;

	while (blank < len && (line[blank] == ' ' || line[blank] == '\t'))
		blank++;
	return blank;
}
