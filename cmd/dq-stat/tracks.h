/* tracks: what was counted in each queue over time: rates, and how late deliveries were. Pure. */
#ifndef DQ_TRACKS_H
#define DQ_TRACKS_H

#include "rows.h"

#define TRACK_POINTS 60

struct track {
	char name[NAME_MAX_BYTES + 1];
	int64_t now;                              /* server's ms, at the last look */
	int64_t last[ROW_COUNTERS];
	int64_t late_first[ROWS_LATE], late[ROWS_LATE]; /* deliveries, at the first look and at the last one */
	float rate[ROW_COUNTERS][TRACK_POINTS];   /* per second, the newest last */
	int points;
	int quiet;                                /* looks since one that found something counted, up to TRACK_POINTS */
};

/* Zero-initialise to start; tracks_free to end. */
struct tracks {
	struct track **items; /* by name */
	size_t count;
};

/* tracks_next goes on with those queues, and forgets others. A queue is busy that has rates to show, or it would be among the idle ones
 * whenever a look finds it empty. 0, or -1: memory is out. */
int tracks_next(struct tracks *t, struct rows *rows);

/* tracks_find: of that queue, or NULL. */
const struct track *tracks_find(const struct tracks *t, const char *name);

/* track_rate: the last one, or -1 after the first look. */
double track_rate(const struct track *t, enum row_counter c);
void tracks_free(struct tracks *t);

#endif
