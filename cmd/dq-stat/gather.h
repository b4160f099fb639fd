/* gather: the numbers of each queue; reports queues that cannot be asked, or do not exist yet.
 * Queues whose slots are being moved come last. */
#ifndef DQ_GATHER_H
#define DQ_GATHER_H

#include <stdbool.h>

#include "queue/queue_set.h"
#include "queue/stat.h"

struct gather {
	struct queue_set *all;
	char *const *names; /* NULL-ended; none = all */
	bool quiet;         /* do not report named queues that do not exist yet */
	/* each returns less than 0, with the reason in *e, if it cannot show the queue. */
	int (*each)(void *ctx, const struct queue *q, const struct queue_counts *c, struct err *e);
	void *ctx;
	size_t count; /* queues shown */
};

/* gather_run returns the worst status: DQ_NO if a named queue does not exist yet. */
enum status gather_run(struct gather *g);

#endif
