/* dq-ack: settles deliveries. */
#include <string.h>

#include "args.h"
#include "bulk.h"
#include "die.h"
#include "opt.h"
#include "queues.h"
#include "stop.h"
#include "text.h"

static const char usage[] =
	"usage: dq-ack [-q] [RECEIPT...]\n"
	"Settles deliveries: the messages are done and gone. RECEIPT is what dq-take printed, QUEUE/ID@TOKEN; with none, the\n"
	"first TAB-separated field of each line of standard input is one. Exit 1 if a receipt is no longer valid.\n"
	"  -q, --quiet              say nothing of receipts that are no longer valid\n" OPT_USAGE;

struct ack {
	struct opt opt;
	struct conn conn;
	struct queues queues;
	struct bulk bulk;
	bool quiet;
	size_t done;
	enum status status;
};

static void on_result(void *ctx, const struct bulk_result *r)
{
	struct ack *a = ctx;

	if (r->letter == 'd') {
		a->done++;
		return;
	}
	if (r->repeated) {
		/* The answer to the first sending was lost with its connection. */
		a->status = worse(a->status, DQ_TEMPORARY);
		warn("%s/%s@%s: not known whether it was settled: the connection was lost", r->queue->name, r->id, r->second);
		return;
	}
	a->status = worse(a->status, DQ_NO);
	if (!a->quiet)
		warn("%s/%s@%s: not settled: %s", r->queue->name, r->id, r->second,
		     r->letter == 'u' ? "no such message" : "this receipt is no longer valid");
}

static void on_refused(void *ctx, const struct queue *queue, size_t n, const struct err *e)
{
	struct ack *a = ctx;

	a->status = worse(a->status, e->status);
	warn("%s: %zu receipt%s %s: %s", queue->name, n, n == 1 ? "" : "s",
	     e->fate == FATE_UNKNOWN ? "perhaps not settled" : "not settled", e->text);
}

/* lost: no further answer will come, and there is no going on. */
static enum status lost(struct ack *a, const struct err *e)
{
	a->status = worse(a->status, e->status);
	if (!bulk_wind_up(&a->bulk, e))
		warn("%s: %zu settled, %zu unknown, %zu not sent", e->text, a->done, a->bulk.unanswered, a->bulk.unsent);
	return DQ_STOPPED;
}

static enum status add(void *ctx, const char *word, size_t len, enum status bad)
{
	struct ack *a = ctx;
	struct name name;
	struct queue *queue;
	struct err e;

	if (name_parse(word, len, NAME_RECEIPT, &name, &e) < 0) {
		warn("%s", e.text);
		a->status = worse(a->status, bad);
		return DQ_DONE;
	}
	queue = queues_find(&a->queues, name.queue);
	if (!queue)
		err_memory(&e);
	const char *texts[] = {name.id, name.token};
	const size_t lens[] = {strlen(name.id), strlen(name.token)};
	if (!queue || bulk_add(&a->bulk, queue, texts, lens, &e) < 0)
		return lost(a, &e);
	return DQ_DONE;
}

static enum status settle(void *ctx)
{
	struct ack *a = ctx;
	struct err e;

	if (bulk_finish(&a->bulk, &e) < 0)
		return lost(a, &e);
	return DQ_DONE;
}

static void parse(struct ack *a, int argc, char **argv)
{
	static const struct option options[] = {OPT_LONG, {"quiet", no_argument, NULL, 'q'}, OPT_END};
	int c;

	while ((c = getopt_long(argc, argv, OPT_SHORT "q", options, NULL)) != -1) {
		if (c == 'q')
			a->quiet = true;
		else
			opt_common(&a->opt, c, argv, usage);
	}
}

int main(int argc, char **argv)
{
	struct ack a = {.status = DQ_DONE};
	const struct bulk_conf conf = {.script = &script_ack, .width = 2, .fixed_count = 1, .fixed = {""}, .repeat_at = -1, .each = on_result,
				       .refused = on_refused, .ctx = &a};
	struct args args = {.each = add, .before_wait = settle, .ctx = &a};
	enum status status;

	opt_start(&a.opt, "dq-ack");
	parse(&a, argc, argv);
	args.stop_fd = stop_catch();
	opt_connect(&a.opt, &a.conn, args.stop_fd);
	queues_init(&a.queues, &a.conn, a.opt.prefix);
	bulk_init(&a.bulk, &a.conn, &conf);
	status = args_each(&args, argv + optind);
	if (a.conn.redis)
		settle(&a);
	if (status != DQ_STOPPED || stop_signal())
		a.status = worse(a.status, status);
	if (a.opt.verbose)
		warn("%zu settled", a.done);
	bulk_free(&a.bulk);
	queues_free(&a.queues);
	conn_close(&a.conn);
	finish(a.status);
}
