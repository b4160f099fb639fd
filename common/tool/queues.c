#include "tool/queues.h"

#include "tool/diag.h"

enum status queues_each(struct queue_set *all, char *const *names, int (*each)(void *ctx, struct queue *q), void *ctx)
{
	struct err e;

	if (queue_set_each(all, names, each, ctx, &e) == 0 || e.status == DQ_REPORTED)
		return DQ_DONE;
	if (e.status != DQ_STOPPED)
		warn("{%s:queues}: %s", all->prefix, e.text);
	return e.status;
}
