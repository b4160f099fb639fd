/* buf: a growing buffer of bytes. Zero-initialise to start, buf_free to end;
 * bytes is NULL until something is added. */
#ifndef DQ_BUF_H
#define DQ_BUF_H

#include <stddef.h>

struct buf {
	char *bytes;
	size_t len;
	size_t cap;
};

/* Each adder returns 0; or -1 if out of memory, and the buffer is unchanged. */
int buf_reserve(struct buf *b, size_t more); /* room for `more` bytes beyond len */
int buf_add(struct buf *b, const void *bytes, size_t len);
int buf_char(struct buf *b, char c);
int buf_text(struct buf *b, const char *s);
int buf_format(struct buf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void buf_drop(struct buf *b, size_t n); /* drop the first n bytes */

/* buf_shift drops the first n bytes, which were used, once they are the larger part. So a byte
 * moves at most once, however long the stream is. Returns how many of them are still there. */
size_t buf_shift(struct buf *b, size_t n);
void buf_free(struct buf *b);

#endif
