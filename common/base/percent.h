/* percent: percent-encoding, as in URLs. Pure. */
#ifndef DQ_PERCENT_H
#define DQ_PERCENT_H

#include <stddef.h>

#define PERCENT_UNRESERVED "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"

/* percent_decode writes the first len bytes of s into dst, decoded, as many as fit before the last of its cap bytes; dst is zeros
 * before. *length is how many there are. s[len] must be readable, and no hex digit. -1: a bad escape, a NUL or %00. */
int percent_decode(const char *s, size_t len, char *dst, size_t cap, size_t *length);

/* percent_encode appends s to the text in out, encoded but for the bytes in plain: at most max bytes, and "..." when that cuts it. */
void percent_encode(char *out, const char *s, const char *plain, size_t max);

#endif
