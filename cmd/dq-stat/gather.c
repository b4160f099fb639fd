#include "gather.h"

#include "tool/absent.h"
#include "tool/die.h"
#include "tool/queues.h"

struct run {
	struct gather *g;
	enum status status;
};

/* failed says why a queue is not shown. Returns 0 where one can go on. */
static int failed(struct run *r, const struct queue *q, const struct err *e)
{
	r->status = worse(r->status, e->status);
	if (e->status != DQ_STOPPED)
		warn("%s: not shown: %s", q->name, e->text);
	return q->conn->redis && e->status != DQ_STOPPED ? 0 : -1;
}

static int each_queue(void *ctx, struct queue *q)
{
	struct run *r = ctx;
	struct queue_counts counts;
	struct err e;
	int is = 0, status = queue_stat(q, &counts, &e);
	bool doubt = status == 0 && counts.counters == 0 && *r->g->names; /* all queues are those that exist */

	if (status == 0)
		status = r->g->each(r->g->ctx, q, &counts, &e);
	queue_counts_free(&counts);
	if (status < 0)
		return failed(r, q, &e);
	r->g->count++;
	if (doubt)
		is = absent_say(q, ABSENT_PUT, r->g->quiet, &e);
	if (is < 0)
		return failed(r, q, &e);
	if (is > 0)
		r->status = worse(r->status, DQ_NO);
	return 0;
}

static void ask_ahead(void *ctx, struct call *call, struct queue *q)
{
	(void)ctx;
	queue_stat_ahead(call, q);
}

enum status gather_run(struct gather *g)
{
	struct run r = {g, DQ_DONE};
	enum status status;

	g->all->ahead = ask_ahead;
	status = queues_each(g->all, g->names, each_queue, &r);
	return worse(status, r.status);
}
