/* threshold: which number of a queue is a warning, or critical. Pure. */
#ifndef DQ_THRESHOLD_H
#define DQ_THRESHOLD_H

#include "base/buf.h"
#include "base/err.h"
#include "../metric.h"

struct threshold {
	enum metric metric;
	bool above;      /* reached above the limit; else below it */
	bool equal;      /* the limit itself counts, too */
	int64_t limit;   /* ms, or a number of messages */
};

#define THRESHOLDS_MAX 32

/* One reached threshold is enough. Zero-initialise: none. */
struct thresholds {
	struct threshold items[THRESHOLDS_MAX];
	size_t count;
};

#define THRESHOLDS_WARN "late>60s,dead>0,failing>10m,limited>1h" /* without --warn */

/* thresholds_add reads METRIC OP LIMIT, separated by commas, such as late>=1m30s,dead>0 or
 * late:ge:1m30s,dead:gt:0; or none.
 * Errors: DQ_USAGE. */
int thresholds_add(struct thresholds *t, const char *text, struct err *e);

/* thresholds_reached returns the first threshold of that metric that the value has reached, or
 * NULL. A span of -1 counts as 0. */
const struct threshold *thresholds_reached(const struct thresholds *t, enum metric m,
					   int64_t value);

/* thresholds_of returns the first threshold of that metric, or NULL. */
const struct threshold *thresholds_of(const struct thresholds *t, enum metric m);

#define THRESHOLD_TEXT 64

/* threshold_shown writes it for people, without the metric: >2m. */
void threshold_shown(const struct threshold *t, char out[THRESHOLD_TEXT]);

/* threshold_range writes the good range as monitoring plugins do: 120 (from 0 to 120), 10: (10 and
 * more), ~:-1 (below 0). */
void threshold_range(const struct threshold *t, char out[THRESHOLD_TEXT]);

#endif
