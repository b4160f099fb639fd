/* ulid: ids made here: 48 bits of wall-clock ms, 80 random bits, 26 characters of Crockford base32
 * (https://github.com/ulid/spec). The first 10 of the random bits are the next 10 bits of the
 * clock, about a us, as method 3 of RFC 9562, section 6.2, does it: so the ids of several processes
 * of a host sort by time, too. Monotonic within a process: in the same us, or after a clock step
 * back, the last one plus one. */
#ifndef DQ_ULID_H
#define DQ_ULID_H

#include <stdint.h>

#include "base/err.h"

#define ULID_CHARS 26

struct ulid {          /* the maker; zero-initialise */
	uint64_t ms;       /* of the last id */
	uint8_t random[10]; /* the first 10 bits: of the clock */
};

/* ulid_next writes the next id and a NUL. now_us is the wall clock (a parameter for tests). It
 * fails with DQ_INTERNAL if the kernel gives no random bytes. If the 80 bits overflow within one
 * ms, ms is incremented. */
int ulid_next(struct ulid *u, uint64_t now_us, char out[ULID_CHARS + 1], struct err *e);

#endif
