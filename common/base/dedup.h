/* dedup: remembers which texts there were, by a hash of 64 bits each, in bounded memory. Pure. */
#ifndef DQ_DEDUP_H
#define DQ_DEDUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DEDUP_MAX (1 << 20) /* so many are remembered, in 16 MiB; each one beyond counts as new */

/* Zero-initialise to start, dedup_free to end. */
struct dedup {
	uint64_t *slots; /* 0 = free */
	size_t cap, count;
};

/* dedup_seen: was there this pair of texts before? It is remembered from now on (unless memory is out). */
bool dedup_seen(struct dedup *s, const char *a, size_t a_len, const char *b, size_t b_len);
void dedup_free(struct dedup *s);

#endif
