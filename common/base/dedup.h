/* dedup: remembers texts by a 64-bit hash of each, in bounded memory. Pure. */
#ifndef DQ_DEDUP_H
#define DQ_DEDUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DEDUP_MAX (1 << 20) /* texts that it remembers, in 16 MiB; all others count as new */

/* Zero-initialise to start, dedup_free to end. */
struct dedup {
	uint64_t *cells; /* 0 = free */
	size_t cap, count;
};

/* dedup_seen: true if this pair of texts was passed before.
 * It is remembered from now on (unless out of memory). */
bool dedup_seen(struct dedup *s, const char *a, size_t a_len, const char *b, size_t b_len);
void dedup_free(struct dedup *s);

#endif
