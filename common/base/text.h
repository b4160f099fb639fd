/* text: escaping, both ways. Pure. */
#ifndef DQ_TEXT_H
#define DQ_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* text_tsv adds s as jq's @tsv writes it: TAB \t, LF \n, CR \r, backslash \\, NUL \0; every other byte as it is.
 * text_untsv reads that back, in place, and returns the new length; an unknown escape or a lone backslash at
 * the end stays as it is written. \0 is exactly two bytes whatever digit follows. */
int text_tsv(struct buf *out, const char *s, size_t len);
size_t text_untsv(char *s, size_t len);

/* text_line is text_tsv for what people read: what a terminal might act on is \xNN, too: other control bytes, those that are
 * not UTF-8, and in UTF-8 the controls from U+0080 to U+009F, line separators, and marks that turn the writing around. */
int text_line(struct buf *out, const char *s, size_t len);

/* text_utf8: is it valid UTF-8 (RFC 3629: no overlong forms, surrogates, or beyond U+10FFFF)? */
bool text_utf8(const char *s, size_t len);

/* text_json adds s, which must be valid UTF-8, as a JSON string with its quotes: " \ and bytes below 0x20 escaped
 * (\b \f \n \r \t, else \u00XX), also 0x7f as \u007f. */
int text_json(struct buf *out, const char *s, size_t len);

/* text_members adds "key":"text","key_base64":null; or, where the text is not UTF-8, the other way round; without a text (NULL) both
 * are null. key holds nothing to escape. */
int text_members(struct buf *out, const char *key, const char *s, size_t len);

/* text_number adds ,"key":n or, where n is negative, ,"key":null; text_members' rules for the key. */
int text_number(struct buf *out, const char *key, int64_t n);

/* text_shown writes foreign bytes for a human's terminal into dst (always NUL-ended, cap >= 8): printable ASCII as it
 * is, backslash \\, LF CR TAB as \n \r \t, everything else as \xNN; cut with "..." when it does not fit. Returns dst. */
char *text_shown(char *dst, size_t cap, const char *s, size_t len);

/* text_hash goes on with h, which begins as TEXT_HASH: FNV-1a of 64 bits, by Fowler, Noll and Vo. */
#define TEXT_HASH UINT64_C(14695981039346656037)
uint64_t text_hash(uint64_t h, const char *s, size_t len);

#endif
