#include "gather.h"

#include "failed.h"
#include "tool/die.h"
#include "tool/queues.h"

struct run {
	struct gather *g;
	enum status status;
};

static int each_queue(void *ctx, struct queue *q)
{
	struct run *r = ctx;
	struct queue_counts counts;
	struct err e;
	int status = queue_stat(q, &counts, &e);
	bool doubt = status == 0 && counts.counters == 0 && *r->g->names; /* without operands every queue exists */

	if (status == 0)
		status = r->g->each(r->g->ctx, q, &counts, &e);
	queue_counts_free(&counts);
	if (status < 0)
		return failed_show(&r->status, q->conn, q->name, NULL, &e);
	r->g->count++;
	return doubt ? failed_absent(&r->status, q, r->g->quiet) : 0;
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
	g->all->ahead_named = true;
	status = queues_each(g->all, g->names, each_queue, &r);
	return worse(status, r.status);
}
