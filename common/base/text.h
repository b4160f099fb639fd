/* text: escaping, both ways. Pure. */
#ifndef DQ_TEXT_H
#define DQ_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* text_tsv adds s as jq's @tsv writes it: TAB \t, LF \n, CR \r, backslash \\, NUL \0; every other
 * byte as it is. */
int text_tsv(struct buf *out, const char *s, size_t len);

/* text_untsv reads that back, in place, and returns the new length; an unknown escape or a lone
 * backslash at the end stays as it is written. \0 is exactly two bytes whatever digit follows. */
size_t text_untsv(char *s, size_t len);

/* text_line is text_tsv for people: it also writes \xNN for bytes on which a terminal might act:
 * other control bytes, bytes that are not UTF-8, and in UTF-8 the controls from U+0080 to U+009F,
 * line separators, marks that change the direction of writing, and what else is not seen. */
int text_line(struct buf *out, const char *s, size_t len);

/* text_utf8: true for valid UTF-8 (RFC 3629: no overlong forms, surrogates,
 * or values beyond U+10FFFF). */
bool text_utf8(const char *s, size_t len);

/* text_json adds s, which must be valid UTF-8, as a JSON string with its quotes: " and \ are
 * escaped, and all that text_line escapes: \b \f \n \r \t, else \uNNNN. So a terminal only shows
 * JSON. */
int text_json(struct buf *out, const char *s, size_t len);

/* text_last_line returns where the last line of s that is not empty begins; *len, the length of s,
 * becomes that of the line. */
size_t text_last_line(const char *s, size_t *len);

/* text_members adds "key":"text","key_base64":null. If the text is not UTF-8, the first
 * member is null and the second has the text. Without a text (NULL) both are null. key must
 * not need escapes. */
int text_members(struct buf *out, const char *key, const char *s, size_t len);

/* text_number adds ,"key":n; if n is negative, ,"key":null. key must not need escapes. */
int text_number(struct buf *out, const char *key, int64_t n);

/* text_shown writes foreign bytes into dst as text_line does (always NUL-ended, cap >= 8). It ends
 * a text that does not fit with "...", behind a whole character. Returns dst. */
char *text_shown(char *dst, size_t cap, const char *s, size_t len);

/* text_harmless is text_shown for a text of which parts are escaped already: a backslash stays. */
char *text_harmless(char *dst, size_t cap, const char *s, size_t len);

/* text_hash continues the hash h, which starts as TEXT_HASH: 64-bit FNV-1a, by Fowler,
 * Noll and Vo. */
#define TEXT_HASH UINT64_C(14695981039346656037)
uint64_t text_hash(uint64_t h, const char *s, size_t len);

#endif
