#include "polling.h"

#include <stdio.h>
#include <string.h>

#include "queue/shards.h"
#include "queue/stat.h"
#include "redis/nodes.h"
#include "redis/server_info.h"

struct round {
	struct view *v;
	struct queue_set *all;
	bool named;
	struct err *lost;
};

static bool is_known(const struct rows *rows, const char *name)
{
	for (size_t i = 0; i < rows->count; i++)
		if (!strcmp(rows->items[i].name, name))
			return true;
	return false;
}

static int each_queue(void *ctx, struct queue *q)
{
	struct round *r = ctx;
	struct queue_counts counts;
	struct err e;
	int status;

	if (r->named && is_known(&r->v->rows, q->name))
		return 0; /* the command line names it twice */
	status = queue_stat_end(r->all->begun, q, &counts, &e);
	if (status == 0 && rows_add(&r->v->rows, q->name, &counts) < 0)
		status = err_memory(&e);
	queue_counts_free(&counts);
	if (status == 0)
		return 0;
	snprintf(r->v->trouble, sizeof r->v->trouble, "%s: not shown: %.120s", q->name, e.text);
	if (nodes_left(&q->x->nodes) && e.status != DQ_STOPPED)
		return 0;
	*r->lost = e;
	return -1;
}

int poll_queues(struct view *v, struct queue_set *all, char *const *names, struct err *e)
{
	struct rows before = v->rows;
	struct err lost = {.status = DQ_DONE};
	struct round r = {v, all, *names, &lost};
	int status;

	v->trouble[0] = 0;
	memset(&v->rows, 0, sizeof v->rows);
	all->begin = queue_stat_begin;
	all->begins_named = true;
	status = queue_set_each(all, names, each_queue, &r, e);
	if (status < 0 && e->status == DQ_REPORTED)
		*e = lost;
	if (status == 0 && history_next(&v->history, &v->rows) < 0)
		status = err_memory(e);
	if (status < 0) { /* old numbers are better than part of the new ones */
		rows_free(&v->rows);
		v->rows = before;
		return -1;
	}
	rows_free(&before);
	view_arrange(v);
	return 0;
}

int poll_due_times(struct view *v, struct queue_set *all, struct err *e)
{
	size_t from, n = view_shown(v, &from);

	memset(v->due, 0, sizeof v->due);
	for (size_t i = from; i < from + n; i++) {
		const struct row *r = &v->rows.items[i];
		struct queue q;
		int status;
		if (r->counts.delayed == 0)
			continue;
		queue_init(&q, all->x, all->prefix, r->name);
		status = shards_set(&q, r->shards, e);
		for (int k = 0; k < q.shards && status == 0; k++)
			status = due_within_add(shards_at(&q, k), r->counts.now, v->due, e);
		queue_free(&q);
		if (status < 0 && !nodes_left(&all->x->nodes))
			return -1;
	}
	return 0;
}

int poll_server(struct view *v, struct exchange *x, struct err *e)
{
	struct server s = {.config = false};
	bool valkey;
	char version[40], role[40];
	int status = server_ask(x, &x->nodes.root, &s, e);

	if (status == 0) {
		valkey = server_is(&s, "server_name", "valkey");
		server_shown(&s, valkey ? "valkey_version" : "redis_version", version,
			     sizeof version);
		server_shown(&s, "role", role, sizeof role);
		snprintf(v->who, sizeof v->who, "%s %s %s", valkey ? "Valkey" : "Redis", version,
			 strcmp(role, "slave") != 0 ? role : "replica");
	}
	server_free(&s);
	return x->nodes.root.conn.redis ? 0 : -1;
}
