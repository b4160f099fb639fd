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

static enum status put_out(struct families *f, const char *file)
{
	struct buf text = {NULL, 0, 0};
	enum status status = DQ_DONE;
	struct err e;

	if (families_write(f, &text) < 0) {
		err_memory(&e);
		warn("%s", e.text);
		status = e.status;
	} else if (file) {
		if (replace_file(file, text.bytes, text.len, &e) < 0) {
			warn("--output: %s", e.text);
			status = e.status;
		}
	} else if (out_write(text.bytes, text.len, &e) < 0) {
		status = out_failed(&e);
	}
	buf_free(&text);
	return status;
}

enum status prometheus_run(struct queue_set *all, char *const *names, bool quiet, const char *file)
{
	struct families *f = &(struct families){.queues = 0};
	struct gather g = {.all = all, .names = names, .quiet = quiet, .each = add_queue, .ctx = f};
	enum status status = gather_run(&g);

	if (all->conn->redis)
		status = worse(status, add_server(f, all->conn));
	if (all->conn->redis && !replica_stale(all->conn)) /* who collects metrics sees no exit status */
		status = worse(status, put_out(f, file));
	families_free(f);
	return status;
}
