/* header: reads the first line of a record, as lua/lib/record.lua and lua/lib/backoff.lua do (dq(7), Header): a field that is not as it
 * should be counts as absent. Pure. */
#ifndef DQ_HEADER_H
#define DQ_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HEADER_SPAN INT64_C(4398046511104) /* ms: all times and waits are below it (lua/lib/scores.lua) */
#define HEADER_TRIES_MAX INT64_C(4294967295)

/* The options of a message: those that its header says, else the defaults (queue.h). */
struct header {
	int64_t ttr;         /* ms */
	int64_t tries;
	int64_t expires;     /* ms since 1970, -1 = never */
	int64_t unique;      /* ms for which the id stays taken, 0 = not at all */
	const char *backoff; /* MS,MS... or exp:MIN..MAX; not NUL-ended, and the header's bytes or a constant */
	size_t backoff_len;
};

/* header_read never fails; the len bytes at text may be any. */
void header_read(struct header *h, const char *text, size_t len);

/* header_is_exp: is the schedule exp:MIN..MAX? header_interval takes the next number of a schedule: *at is 0 at first. */
bool header_is_exp(const struct header *h);
bool header_interval(const struct header *h, size_t *at, int64_t *ms);

#endif
