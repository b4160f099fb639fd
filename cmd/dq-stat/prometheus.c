#include "prometheus.h"

#include "families.h"
#include "gather.h"
#include "redis/replica.h"
#include "replace.h"
#include "tool/die.h"
#include "tool/out.h"

static int add_queue(void *ctx, const struct queue *q, const struct queue_counts *c, struct err *e)
{
	return families_queue(ctx, q->name, c) < 0 ? err_memory(e) : 0;
}

/* add_server: a user who may not ask INFO has all but that. */
static enum status add_server(struct families *f, struct conn *conn)
{
	struct server server = {.config = false};
	struct err e;
	int status = server_ask(conn, &server, &e);

	if (status == 0 && families_server(f, &server) < 0)
		status = err_memory(&e);
	server_free(&server);
	if (status < 0 && e.status != DQ_STOPPED)
		warn("server: not shown: %s", e.text);
	return status < 0 ? e.status : DQ_DONE;
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

	if (replace_begin(&r, file, &e) == 0 && families_write(f, write_file, &r, &e) == 0 && replace_end(&r, &e) == 0)
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
	struct families *f = &(struct families){.queues = 0};
	struct gather g = {.all = all, .names = names, .quiet = quiet, .each = add_queue, .ctx = f};
	enum status status = gather_run(&g);

	if (all->conn->redis)
		status = worse(status, add_server(f, all->conn));
	if (all->conn->redis && !replica_stale(all->conn)) /* who collects metrics sees no exit status */
		status = worse(status, file ? put_file(f, file) : put_out(f));
	families_free(f);
	return status;
}
