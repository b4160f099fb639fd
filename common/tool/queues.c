#include "tool/queues.h"

#include "tool/diag.h"

static enum status ended(const struct queue_set *all, int status, const struct err *e)
{
	if (status == 0 || e->status == DQ_REPORTED)
		return DQ_DONE;
	if (e->status != DQ_STOPPED)
		warn("{%s:queues}: %s", all->prefix, e->text);
	return e->status;
}

enum status queues_each(struct queue_set *all, char *const *names,
			int (*each)(void *ctx, struct queue *q), void *ctx)
{
	struct err e;
	int status = queue_set_each(all, names, each, ctx, &e);

	return ended(all, status, &e);
}

enum status queues_rest(struct queue_set *all, int (*each)(void *ctx, struct queue *q), void *ctx)
{
	struct err e;
	int status = queue_set_rest(all, each, ctx, &e);

	return ended(all, status, &e);
}
