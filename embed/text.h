/* text: bytes that grow, and errors, for embed.
 * It runs on the building machine only: whatever fails ends it. */
#ifndef EMBED_TEXT_H
#define EMBED_TEXT_H

#include <stddef.h>

struct text { /* owned; all zeros: empty */
	char *bytes;
	size_t len;
	size_t cap;
};

/* fail ends the program with that message. */
void fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/* grow is realloc that does not fail. */
void *grow(void *p, size_t size);

void add(struct text *t, const char *bytes, size_t len);
void add_text(struct text *t, const char *s);

/* copy: of len bytes, with a NUL behind them; the caller frees it. */
char *copy(const char *s, size_t len);

/* indentation: how many blanks a line begins with. */
size_t indentation(const char *line, size_t len);

#endif
