#include "prometheus.h"

#include "base/clock.h"
#include "families.h"
#include "../gather.h"
#include "redis/nodes.h"
#include "redis/replica.h"
#include "replace.h"
#include "../servers.h"
#include "tool/die.h"
#include "tool/out.h"

static int add_queue(void *ctx, const struct queue *q, const struct queue_counts *c, struct err *e)
{
	return families_queue(ctx, q->name, c) < 0 ? err_memory(e) : 0;
}

/* What was shown of servers; some may be unreachable. */
struct servers_shown {
	struct families *f;
	enum status status;
};

static void not_shown(struct servers_shown *shown, const char *what, const struct err *e)
{
	if (e->status != DQ_STOPPED)
		warn("%s: not shown: %s", what, e->text);
	shown->status = worse(shown->status, e->status);
}

static int add_server(void *ctx, const struct server_reply *t, struct err *e)
{
	struct servers_shown *shown = ctx;

	if (t->failed)
		not_shown(shown, t->node, t->failed);
	else if (families_server(shown->f, t) < 0)
		return err_memory(e);
	return 0;
}

static int add_cluster(void *ctx, const struct cluster_reply *t, struct err *e)
{
	struct servers_shown *shown = ctx;

	if (t->failed)
		not_shown(shown, "other nodes", t->failed);
	else if (families_cluster(shown->f, t->unassigned) < 0)
		return err_memory(e);
	return 0;
}

/* add_servers: a user without the right to INFO gets all other metrics. */
static enum status add_servers(struct families *f, struct exchange *x)
{
	struct servers_shown shown = {f, DQ_DONE};
	struct err e;

	if (servers_each(x, &(struct servers){add_cluster, add_server, &shown}, &e) < 0)
		not_shown(&shown, "server", &e);
	return shown.status;
}

static int write_out(void *ctx, const char *bytes, size_t len, struct err *e)
{
	(void)ctx;
	return out_write(bytes, len, e);
}

static int write_file(void *ctx, const char *bytes, size_t len, struct err *e)
{
	return replace_write(ctx, bytes, len, e);
}

static enum status put_file(struct families *f, const char *file)
{
	struct replace r;
	struct err e;

	if (replace_begin(&r, file, &e) == 0 && families_write(f, write_file, &r, &e) == 0 &&
	    replace_end(&r, &e) == 0)
		return DQ_DONE;
	replace_give_up(&r);
	warn(e.status == DQ_IO ? "--output: %s" : "%s", e.text);
	return e.status;
}

static enum status put_out(struct families *f)
{
	struct err e;

	if (families_write(f, write_out, NULL, &e) == 0)
		return DQ_DONE;
	if (e.status == DQ_IO || e.status == DQ_STOPPED)
		return out_failed(&e);
	warn("%s", e.text);
	return e.status;
}

enum status prometheus_run(struct queue_set *all, char *const *names, bool quiet, const char *file)
{
	struct families *f = &(struct families){.read_at = clock_wall()};
	struct gather g = {.all = all, .names = names, .quiet = quiet, .each = add_queue, .ctx = f};
	enum status status = gather_run(&g);

	if (nodes_left(&all->x->nodes))
		status = worse(status, add_servers(f, all->x));
	/* a collector of metrics ignores the exit status */
	if (nodes_left(&all->x->nodes) && !replica_stale(&all->x->nodes))
		status = worse(status, file ? put_file(f, file) : put_out(f));
	families_free(f);
	return status;
}
