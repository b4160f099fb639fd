/* sha1: SHA-1 (FIPS 180-4). It names scripts for EVALSHA and protects nothing. */
#ifndef DQ_SHA1_H
#define DQ_SHA1_H

#include <stddef.h>

/* sha1_hex writes the SHA-1 of len bytes as 40 hex digits and a NUL. */
void sha1_hex(const char *s, size_t len, char hex[41]);

#endif
