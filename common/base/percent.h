/* percent: percent-encoding, as in URLs. Pure. */
#ifndef DQ_PERCENT_H
#define DQ_PERCENT_H

#include <stddef.h>

#include "base/err.h"

#define PERCENT_UNRESERVED "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"

/* percent_decode decodes the first len bytes of s into dst, as many as fit in cap - 1 bytes; dst
 * must be zeros before. *length is the decoded length. s[len] must be readable, and not a hex
 * digit. -1: an invalid escape, a NUL or %00. */
int percent_decode(const char *s, size_t len, char *dst, size_t cap, size_t *length);

/* percent_text is percent_decode for a part of a URL, which what names. -1: DQ_USAGE, also if the
 * part is too long. */
int percent_text(const char *s, size_t len, char *dst, size_t cap, const char *what, struct err *e);

/* percent_encode appends s to the text in out and encodes all bytes that are not in plain. It
 * writes at most max bytes, and then "..." if it cut the text. */
void percent_encode(char *out, const char *s, const char *plain, size_t max);

#endif
