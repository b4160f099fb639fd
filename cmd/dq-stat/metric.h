/* metric: the numbers of a queue that can be compared with a limit, by name. Pure. */
#ifndef DQ_METRIC_H
#define DQ_METRIC_H

#include <stdbool.h>
#include <stddef.h>

#include "queue/stat.h"

enum metric {
	METRIC_DELAYED,
	METRIC_DUE,
	METRIC_READY,
	METRIC_LEASED,
	METRIC_DEAD,
	METRIC_EXPIRED,
	METRIC_OLDEST,
	METRIC_LATE,
	METRIC_RETRYING,
	METRIC_FAILING,
	/* how long the first message waits for a limit that explains it (limited.h) */
	METRIC_LIMITED,
	METRIC_HELD,
	METRIC_NAMED, /* those before it have a name, and may have a threshold */
	METRIC_FREE = METRIC_NAMED, /* as OLDEST, of the messages that no key holds back */
	METRIC_BLOCKED,             /* of the messages whose keys are blocked */
	METRIC_COUNT
};

/* metric_find returns the metric of that name, or METRIC_COUNT. metric_name: of a named one. */
enum metric metric_find(const char *name, size_t len);
const char *metric_name(enum metric m);
bool metric_is_span(enum metric m); /* ms; the others count messages */

/* metric_since: how long ago that was, -1 = never. A time that the server's clock has not reached
 * yet counts as now. */
int64_t metric_since(int64_t now, int64_t then);

/* metric_value: -1 for a span = there is no such message. */
int64_t metric_value(const struct queue_counts *c, enum metric m);

#define METRIC_TEXT 32

/* metric_seconds formats ms as seconds: 132000 as 132, 250 as 0.250. ms may be negative. */
void metric_seconds(int64_t ms, char out[METRIC_TEXT]);

#endif
