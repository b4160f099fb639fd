#include "gather.h"

#include "failed.h"
#include "tool/die.h"
#include "tool/later.h"
#include "tool/queues.h"

struct run {
	struct gather *g;
	struct later later;
	enum status status;
};

static int each_queue(void *ctx, struct queue *q)
{
	struct run *r = ctx;
	struct queue_counts counts;
	struct err e;
	int status;
	bool doubt;

	later_begin(&r->later);
	status = queue_stat(q, &counts, &e);
	if (status < 0 && later_put(&r->later, q, &e)) {
		queue_counts_free(&counts);
		return 0;
	}
	later_commit(&r->later);
	doubt = status == 0 && counts.counters == 0 && *r->g->names; /* without operands every queue exists */
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
	struct run r = {.g = g, .status = DQ_DONE};
	enum status status;

	g->all->ahead = ask_ahead;
	g->all->ahead_named = true;
	later_start(&r.later, g->all->conn);
	status = queues_each(g->all, g->names, each_queue, &r);
	status = worse(status, later_run(&r.later, g->all, each_queue, &r));
	g->all->conn->moving_fails_from = 0;
	return worse(status, r.status);
}
