/* dq-gc: drops the dead past their keep time. */
#include <string.h>

#include "die.h"
#include "opt.h"
#include "out.h"
#include "queues.h"
#include "stop.h"

static const char usage[] =
	"usage: dq-gc [--dead-for DUR] [--dry-run] [QUEUE...]\n"
	"Drops dead messages that died longer ago than they are kept, in all queues or the named ones.\n"
	"      --dead-for DUR       how long the dead are kept (30d)\n"
	"      --dry-run            change nothing, print the names of what would go\n" OPT_USAGE;

enum { OPT_DEAD_FOR = OPT_OWN, OPT_DRY_RUN };

struct gc {
	struct opt opt;
	struct conn conn;
	struct queues queues;
	const struct queue *queue; /* at work */
	int64_t keep;              /* ms */
	bool dry;
	long long dropped;
	enum status status;
};

static int on_id(void *ctx, const char *id)
{
	struct gc *g = ctx;
	struct err e;

	g->dropped++;
	if (!g->dry)
		return 0;
	out_format("%s/%s\n", g->queue->name, id);
	if (out_gathered() < 65536 || out_flush(&e) == 0)
		return 0;
	if (e.status != DQ_STOPPED)
		warn("standard output: %s", e.text);
	g->status = worse(g->status, e.status);
	return -1;
}

/* purge works in short calls, so that others are served in between. */
static int purge(struct gc *g, struct queue *q, struct err *e)
{
	int64_t n, skip = 0;

	do {
		e->status = DQ_DONE;
		if (queue_purge(q, g->keep, g->dry, g->dry ? skip : 0, on_id, g, &n, e) < 0)
			return -1;
		skip += n;
	} while (n == QUEUE_BATCH && !stop_signal());
	return 0;
}

static int purge_queue(void *ctx, struct queue *q)
{
	struct gc *g = ctx;
	struct err e;

	g->queue = q;
	if (purge(g, q, &e) == 0)
		return 0;
	if (e.status == DQ_DONE)
		return -1; /* on_id has said it */
	g->status = worse(g->status, e.status);
	if (e.status != DQ_STOPPED)
		warn("%s: not collected: %s", q->name, e.text);
	return g->conn.redis && e.status != DQ_STOPPED ? 0 : -1;
}

static void parse(struct gc *g, int argc, char **argv)
{
	static const struct option options[] = {OPT_LONG,
						{"dead-for", required_argument, NULL, OPT_DEAD_FOR},
						{"dry-run", no_argument, NULL, OPT_DRY_RUN},
						OPT_END};
	int c;

	while ((c = getopt_long(argc, argv, OPT_SHORT, options, NULL)) != -1) {
		if (c == OPT_DEAD_FOR)
			g->keep = opt_duration("--dead-for", optarg);
		else if (c == OPT_DRY_RUN)
			g->dry = true;
		else
			opt_common(&g->opt, c, argv, usage);
	}
	for (char **name = argv + optind; *name; name++)
		opt_queue(*name);
}

static void collect(struct gc *g, char **names)
{
	struct err e;

	if (queues_each(&g->queues, names, purge_queue, g, &e) < 0 && e.status != DQ_DONE) {
		g->status = worse(g->status, e.status);
		if (e.status != DQ_STOPPED)
			warn("%s:queues: %s", g->opt.prefix, e.text);
	}
}

int main(int argc, char **argv)
{
	struct gc g = {.keep = INT64_C(30) * 86400 * 1000};

	opt_start(&g.opt, "dq-gc");
	parse(&g, argc, argv);
	opt_connect(&g.opt, &g.conn, stop_catch());
	queues_init(&g.queues, &g.conn, g.opt.prefix);
	collect(&g, argv + optind);
	if (g.opt.verbose)
		warn("%lld %s", g.dropped, g.dry ? "would go" : "dropped");
	queues_free(&g.queues);
	conn_close(&g.conn);
	finish(g.status);
}
