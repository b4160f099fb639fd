/* history: the counters of each queue over time: rates, and lateness of deliveries. Pure. */
#ifndef DQ_HISTORY_H
#define DQ_HISTORY_H

#include "../table/rows.h"

#define TRACK_POINTS 60

struct track {
	char name[NAME_MAX_BYTES + 1];
	int64_t now;                              /* the server's clock, ms, at the last poll */
	int64_t last[ROW_COUNTERS];
	/* deliveries, at the first poll and at the last one */
	int64_t late_first[ROWS_LATE], late[ROWS_LATE];
	float rate[ROW_COUNTERS][TRACK_POINTS];   /* per second, the newest last */
	int points;
	int quiet;                                /* polls since the last one with a changed
	                                           * counter, up to TRACK_POINTS */
};

/* Zero-initialise to start; history_free to end. */
struct history {
	struct track **items; /* by name */
	size_t count;
};

/* history_next adds a poll of those queues, and forgets other queues. A queue with rates to show
 * counts as busy; otherwise it would move to the idle ones whenever a poll finds it empty. Returns
 * 0, or -1 if out of memory. */
int history_next(struct history *t, struct rows *rows);

/* history_find returns the track of that queue, or NULL. */
const struct track *history_find(const struct history *t, const char *name);

/* track_rate returns the last rate, or -1 after the first poll. */
double track_rate(const struct track *t, enum row_counter c);
void history_free(struct history *t);

#endif
