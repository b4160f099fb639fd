/* reasons: why something fails, over and over, until it succeeds. Each reason is reported once. */
#ifndef DQ_REASONS_H
#define DQ_REASONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum { REASONS_MAX = 8 }; /* so many take turns without being reported again */

/* Zero-initialise, and again after a success. */
struct reasons {
	uint64_t hashes[REASONS_MAX]; /* of those reported; a full array drops the oldest */
	unsigned count;
};

/* reasons_add: true if the reason is to be reported, because it is new. Digits and the text behind
 * them do not count, because time-outs vary. It keeps several reasons, because they may alternate:
 * closed by the server, and reset. */
bool reasons_add(struct reasons *r, const struct err *e);

#endif
