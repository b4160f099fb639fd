/* num: strict numbers and durations. Pure. */
#ifndef DQ_NUM_H
#define DQ_NUM_H

#include <stdint.h>

#include "base/err.h"

/* The longest duration: 100 years; and without a unit, 10 years: a greater number is probably a
 * time, in seconds since 1970. */
#define NUM_DURATION_MAX INT64_C(3155760000000)
#define NUM_BARE_MAX INT64_C(315576000000)

/* num_parse reads all of s as decimal digits (no sign, no space, no leading '+'),
 * min <= *out <= max.
 * what names the thing in the error ("-n"); errors are DQ_USAGE and leave *out alone. */
int num_parse(const char *s, int64_t min, int64_t max, const char *what, int64_t *out,
	      struct err *e);

/* num_duration reads 500ms, 90s, 1.5h, 1h30m, 2d, 1w, or a bare number of seconds, up to
 * NUM_BARE_MAX (fractions allowed on any number), into milliseconds, 0..NUM_DURATION_MAX, rounded
 * up so that nothing is early. Units ms s m (min) h d w, each at most once, in falling order.
 * Refused: signs, spaces, exponents, hex, nan, inf, empty, a missing digit before or after the
 * point, overflow. Errors are DQ_USAGE, *ms untouched. */
int num_duration(const char *s, int64_t *ms, struct err *e);

/* num_size reads a byte count: digits with an optional suffix k, M or G (powers of 1024, also KiB
 * MiB GiB); bounds as num_parse. */
int num_size(const char *s, int64_t min, int64_t max, const char *what, int64_t *out,
	     struct err *e);

#endif
