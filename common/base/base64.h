/* base64: RFC 4648 with padding, both ways. Pure. */
#ifndef DQ_BASE64_H
#define DQ_BASE64_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

/* base64_encode appends s, encoded. -1: out of memory, and the buffer is unchanged. */
int base64_encode(struct buf *out, const char *s, size_t len);

/* base64_decode decodes s in place; white space is not allowed. It sets *len to the new length. -1
 * with DQ_DATA; s may then be changed. */
int base64_decode(char *s, size_t *len, struct err *e);

#endif
