/* time: points in time. Pure. */
#ifndef DQ_TIME_H
#define DQ_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Scores hold times below 2^42 ms (May 2109): see Scores in dq-scripts(7). */
#define TIME_MAX INT64_C(4398046511103)
#define TIME_LAST INT64_C(253402300799999) /* of the year 9999, the last one of four digits */

/* time_parse reads @EPOCH[.frac] (seconds), @EPOCHms, RFC 3339 with a zone (2026-11-21T09:00:00Z,
 * ...+01:00; 't' and ' ' for T and 'z' as the RFC allows; fractions; leap second :60 = the next
 * second), or a date of HTTP in each of its three forms (Sat, 21 Nov 2026 09:00:00 GMT; Saturday,
 * 21-Nov-26 09:00:00 GMT, of the years 1970 to 2069; Sat Nov 21 09:00:00 2026; the weekday is not
 * compared) into ms since 1970, 0..TIME_MAX, fractions of a ms rounded up. A time without zone is
 * refused with a hint that names both spellings. Calendar checked (month lengths, leap years).
 * Errors are DQ_USAGE, *ms untouched. */
int time_parse(const char *s, int64_t *ms, struct err *e);

/* time_date_len: the text begins as a date does, perhaps a wrong one: one of its first two words is
 * the name of a weekday or month, and a time of day with seconds follows. Returns the length up to
 * the end of the word behind that, a zone or year; else 0. */
size_t time_date_len(const char *s);

/* How a time of words is given: for sentences. */
#define TIME_OF_WORDS "@$(date -d 'tomorrow 16:00' +%s)"

#define TIME_HINT 40
/* time_hint writes how time_parse reads a bare number that was meant as a time: @NUMBER, or
 * @NUMBERms if it is too great for seconds. False: it cannot be a time. */
bool time_hint(const char *number, char out[TIME_HINT]);

#define TIME_TEXT 32
/* time_format writes ms since 1970 as 2026-11-21T08:00:00.123Z. */
void time_format(int64_t ms, char out[TIME_TEXT]);

#endif
