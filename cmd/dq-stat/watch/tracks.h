/* tracks: the counters of each queue over time: rates, and lateness of deliveries. Pure. */
#ifndef DQ_TRACKS_H
#define DQ_TRACKS_H

#include "../table/rows.h"

#define TRACK_POINTS 60

struct track {
	char name[NAME_MAX_BYTES + 1];
	int64_t now;                              /* the server's clock, ms, at the last poll */
	int64_t last[ROW_COUNTERS];
	int64_t late_first[ROWS_LATE], late[ROWS_LATE]; /* deliveries, at the first poll and at the last one */
	float rate[ROW_COUNTERS][TRACK_POINTS];   /* per second, the newest last */
	int points;
	int quiet;                                /* polls since the last one with a changed counter, up to TRACK_POINTS */
};

/* Zero-initialise to start; tracks_free to end. */
struct tracks {
	struct track **items; /* by name */
	size_t count;
};

/* tracks_next adds a poll of those queues, and forgets other queues. A queue with rates to show counts as busy; otherwise it would move to
 * the idle ones whenever a poll finds it empty. Returns 0, or -1 if out of memory. */
int tracks_next(struct tracks *t, struct rows *rows);

/* tracks_find returns the track of that queue, or NULL. */
const struct track *tracks_find(const struct tracks *t, const char *name);

/* track_rate returns the last rate, or -1 after the first poll. */
double track_rate(const struct track *t, enum row_counter c);
void tracks_free(struct tracks *t);

#endif
