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
	int status;
	bool doubt;

	status = queue_stat_end(r->g->all->begun, q, &counts, &e);
	if (status < 0 && queue_set_put_off(r->g->all, q, &e)) {
		queue_counts_free(&counts);
		return 0;
	}
	queue_set_commit(r->g->all);
	/* without operands every queue exists */
	doubt = status == 0 && counts.counters == 0 && *r->g->names;
	if (status == 0)
		status = r->g->each(r->g->ctx, q, &counts, &e);
	queue_counts_free(&counts);
	if (status < 0)
		return failed_show(&r->status, q->x, q->name, NULL, &e);
	r->g->count++;
	return doubt ? failed_absent(&r->status, q, r->g->quiet) : 0;
}

enum status gather_run(struct gather *g)
{
	struct run r = {.g = g, .status = DQ_DONE};
	enum status status;

	g->all->begin = queue_stat_begin;
	g->all->begins_named = true;
	queue_set_moving_last(g->all);
	status = queues_each(g->all, g->names, each_queue, &r);
	return worse(status, r.status);
}
