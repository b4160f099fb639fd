/* check: finds settings and states of a server and its queues that put messages at risk,
 * and reports them. */
#ifndef DQ_CHECK_H
#define DQ_CHECK_H

#include <stdbool.h>

#include "queue/queue_set.h"
#include "report.h"
#include "threshold.h"

struct check {
	struct queue_set *all;
	char *const *names; /* NULL-ended; none = all */
	const struct thresholds *warn, *crit;
	bool json;
	bool quiet; /* do not report named queues that do not exist yet */
};

/* check_run opens all->x, checks its server and the queues, and writes a report to standard
 * output. A server that cannot be asked is a line of the report; *worst is the worst level. Other
 * than DQ_DONE: DQ_STOPPED, DQ_IO or DQ_TEMPORARY (out of memory), which it has reported; then
 * there is no level. */
enum status check_run(const struct check *c, enum report_level *worst);

#endif
