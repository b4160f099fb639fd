/* alerts: do the numbers of a queue show trouble? Adds to a report, and to the performance data of
 * a monitoring plugin. Pure. */
#ifndef DQ_ALERTS_H
#define DQ_ALERTS_H

#include "report.h"
#include "threshold.h"

#define ALERTS_PERF_MAX 20 /* queues: monitoring cuts lines at some KiB */

struct alerts {
	const struct thresholds *warn, *crit;
	struct report *report; /* borrowed */
	struct buf perf;       /* 'QUEUE_METRIC'=VALUE;WARN;CRIT ...; the caller frees it */
	bool all;              /* performance data of all queues;
	                        * else only of those in trouble, at most ALERTS_PERF_MAX */
	size_t queues;         /* judged */
	size_t shown;          /* in perf */
};

/* alerts_judge returns 0, or -1 if out of memory. */
int alerts_judge(struct alerts *a, const char *queue, const struct queue_counts *c);

#endif
