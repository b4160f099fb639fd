/* utf8: characters of UTF-8. Pure. */
#ifndef DQ_UTF8_H
#define DQ_UTF8_H

#include <stddef.h>

#define UTF8_MAX 4 /* bytes of a character */

/* utf8_length returns the length of the character at the beginning of s, which has at least one
 * byte; 0 if there is none. */
size_t utf8_length(const char *s, size_t len);

/* utf8_cut returns how many of the len bytes of s to keep: at most max, and no part of a character
 * at the end. It reads at most max bytes, so s may be a text of which only these were stored. */
size_t utf8_cut(const char *s, size_t len, size_t max);

#endif
