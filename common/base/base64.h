/* base64: RFC 4648 with padding, both ways. Pure. */
#ifndef DQ_BASE64_H
#define DQ_BASE64_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

/* base64_encode adds s. -1: memory is out, and the buffer is as before. */
int base64_encode(struct buf *out, const char *s, size_t len);

/* base64_decode undoes it in place, without white space, and sets *len to the new length. -1 with DQ_DATA; then s may be changed. */
int base64_decode(char *s, size_t *len, struct err *e);

#endif
