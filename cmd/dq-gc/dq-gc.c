/* dq-gc: drops the dead past their keep time, checks and repairs. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "queue/audit.h"
#include "queue/registry.h"
#include "queue/shards.h"
#include "redis/nodes.h"
#include "tool/absent.h"
#include "tool/die.h"
#include "tool/opt.h"
#include "tool/out.h"
#include "tool/progress.h"
#include "tool/queues.h"
#include "tool/stop.h"

static const char usage[] =
	"usage: dq-gc [-q] [--dead-for DUR] [--empty-for DUR] [--check | --repair]\n"
	"             [--dry-run] [QUEUE...]\n"
	"Removes messages that have been dead for long, expired messages and expired\n"
	"reservations of ids, and queues that are empty and not in use: of all queues, or\n"
	"of the named ones. With --check or --repair it removes dead messages only with\n"
	"--dead-for, and queues only with --empty-for.\n"
	"      --dead-for DUR       how long dead messages are kept (30d); with a unit\n"
	"      --empty-for DUR      how long an empty queue is kept after its last put\n"
	"                           and take (1d); with a unit\n"
	"      --check              print a line for each fault found: NAME, TAB, fault;\n"
	"                           exit 1 if there is one\n"
	"      --repair             check, repair what is found, and check again: exit 1\n"
	"                           if a fault remains\n"
	"      --dry-run            change nothing, print the names of the messages;\n"
	"                           --repair is then --check\n"
	"  -q, --quiet              do not report queues that do not exist yet\n" OPT_USAGE;

enum { OPT_DEAD_FOR = OPT_OWN, OPT_EMPTY_FOR, OPT_CHECK, OPT_REPAIR, OPT_DRY_RUN };

struct gc {
	struct opt opt;
	struct conn conn;
	struct queue_set queues;
	const struct queue *queue; /* at work */
	int64_t keep, idle;        /* ms */
	char keep_text[24];
	bool purge, forget, check, repair, dry;
	bool empty;                /* perhaps: the queue at work */
	bool doubt;                /* say of a queue, which was named, that it does not exist yet */
	struct buf lines;          /* to be written */
	long long dropped, forgotten, faults;
	struct progress progress;
	enum status status;
};

static int write_lines(struct gc *g)
{
	struct err e;
	int status = out_write(g->lines.bytes, g->lines.len, &e);

	g->lines.len = 0;
	if (status == 0)
		return 0;
	g->status = worse(g->status, out_failed(&e));
	return -1;
}

/* print_line prints a name, the queue's where id is NULL, and, unless NULL, a fault. An id that a foreign hand has written may be any
 * bytes. */
static int print_line(struct gc *g, const char *id, size_t len, const char *fault)
{
	struct buf *to = &g->lines;

	if (buf_text(to, g->queue->name) < 0 || (id && (buf_char(to, '/') < 0 || text_line(to, id, len) < 0)) ||
	    (fault && (buf_char(to, '\t') < 0 || text_line(to, fault, strlen(fault)) < 0)) || buf_char(to, '\n') < 0) {
		warn("out of memory");
		g->status = worse(g->status, DQ_TEMPORARY);
		return -1;
	}
	return to->len < 65536 ? 0 : write_lines(g);
}

static int on_id(void *ctx, const char *id)
{
	struct gc *g = ctx;

	g->dropped++;
	return g->dry ? print_line(g, id, strlen(id), NULL) : 0;
}

/* purge works in short calls, so that others are served in between. g->empty: no message is left. */
static int purge(void *ctx, struct queue *q, struct err *e)
{
	struct gc *g = ctx;
	int64_t n, skip = 0;
	bool more, empty;

	do {
		if (queue_purge(q, g->keep, g->dry, g->dry ? skip : 0, on_id, g, &n, &more, &empty, e) < 0)
			return -1;
		g->empty = empty;
		skip += n;
		progress_tick(&g->progress, g->dropped, 0);
	} while (more && !stop_signal());
	return 0;
}

static void purge_ahead(void *ctx, struct call *call, struct queue *q)
{
	const struct gc *g = ctx;

	queue_purge_ahead(call, q, g->keep_text, g->dry);
}

static int on_fault(void *ctx, const struct audit_fault *f)
{
	return print_line(ctx, f->id, f->id_len, f->fault);
}

static int on_remaining(void *ctx, const struct audit_fault *f)
{
	(void)ctx;
	(void)f;
	return 0;
}

/* forget: an empty queue goes, with its name. absent: there is no more of it than perhaps its name, which does not count. */
static int forget(struct gc *g, struct queue *q, bool absent, struct err *e)
{
	bool forgotten;

	if (registry_forget(q, g->idle, &forgotten, e) < 0)
		return -1;
	g->forgotten += forgotten && !absent;
	return 0;
}

/* audit_name: whether the list of queues and the queue agree. */
static int audit_name(struct gc *g, struct queue *q, struct err *e)
{
	const char *fault;

	if (registry_check(q, g->repair, &fault, e) < 0)
		return -1;
	if (!fault)
		return 0;
	g->faults++;
	if (!g->repair)
		g->status = worse(g->status, DQ_NO);
	return print_line(g, NULL, 0, fault) < 0 ? err_said(e) : 0;
}

static int audit(void *ctx, struct queue *q, struct err *e)
{
	struct gc *g = ctx;
	struct audit_sum sum, left;

	if (audit_walk(q, g->repair, on_fault, g, &sum, e) < 0)
		return -1;
	g->faults += sum.faults;
	left = sum;
	if (sum.faults > 0 && g->repair && audit_walk(q, false, on_remaining, NULL, &left, e) < 0)
		return -1;
	if (left.faults > 0) {
		g->status = worse(g->status, DQ_NO);
		if (g->repair)
			warn("%s: not repaired: %lld fault%s", q->name, (long long)left.faults, left.faults == 1 ? "" : "s");
	}
	if (g->opt.verbose)
		warn("%s: %lld faults, %lld repaired; read %lld bytes in %lld slices of at most %lld", q->name, (long long)sum.faults,
		     g->repair && left.faults < sum.faults ? (long long)(sum.faults - left.faults) : 0, (long long)sum.bytes,
		     (long long)sum.slices, (long long)sum.max_bytes);
	return 0;
}

static int visit_queue(void *ctx, struct queue *q)
{
	struct gc *g = ctx;
	const char *what = "not collected";
	long long before = g->dropped + g->faults;
	struct err e;
	int status = 0, absent = 0;

	g->queue = q;
	g->empty = true;
	if (g->purge)
		status = shards_each(q, purge, g, &e);
	if (status == 0 && g->check) {
		what = g->repair ? "not repaired" : "not checked";
		status = audit_name(g, q, &e) < 0 ? -1 : shards_each(q, audit, g, &e);
	}
	if (status == 0 && g->doubt && g->dropped + g->faults == before) {
		absent = absent_say(q, ABSENT_PUT, false, &e);
		status = absent < 0 ? -1 : 0;
	}
	if (status == 0 && g->forget && g->empty && !g->dry) {
		what = "not removed";
		status = forget(g, q, absent > 0, &e);
	}
	if (status == 0)
		return 0;
	if (e.status == DQ_SAID)
		return -1;
	g->status = worse(g->status, e.status);
	if (e.status != DQ_STOPPED)
		warn("%s: %s: %s", q->name, what, e.text);
	return nodes_left(&g->conn) && e.status != DQ_STOPPED ? 0 : -1;
}

/* with_unit: elsewhere a bare number is seconds. Here the user means days, and would lose nearly all dead letters. */
static int64_t with_unit(const char *option, const char *text)
{
	size_t digits = strspn(text, "0123456789.");
	int64_t keep = opt_duration(option, text);

	if (keep > 0 && !text[digits])
		die_usage("%s: \"%s\" has no unit: %sd (days) or %ss (seconds)?", option, text, text, text);
	return keep;
}

/* parse returns the operands. */
static char **parse(struct gc *g, int argc, char **argv)
{
	static const struct option options[] = {OPT_LONG,
						{"dead-for", required_argument, NULL, OPT_DEAD_FOR},
						{"empty-for", required_argument, NULL, OPT_EMPTY_FOR},
						{"check", no_argument, NULL, OPT_CHECK},
						{"repair", no_argument, NULL, OPT_REPAIR},
						{"dry-run", no_argument, NULL, OPT_DRY_RUN},
						{"quiet", no_argument, NULL, 'q'},
						OPT_END};
	bool check = false, quiet = false;
	char **queues;
	int c;

	while ((c = argv_next(argc, argv, OPT_SHORT "q", options)) != -1) {
		if (c == OPT_DEAD_FOR) {
			g->keep = with_unit("--dead-for", optarg);
			g->purge = true;
		} else if (c == OPT_EMPTY_FOR) {
			g->idle = with_unit("--empty-for", optarg);
			g->forget = true;
		} else if (c == OPT_CHECK) {
			check = true;
		} else if (c == OPT_REPAIR) {
			g->repair = true;
		} else if (c == OPT_DRY_RUN) {
			g->dry = true;
		} else if (c == 'q') {
			quiet = true;
		} else {
			opt_common(&g->opt, c, usage);
		}
	}
	if (check && g->repair)
		die_usage("only one of --check and --repair");
	g->check = check || g->repair;
	g->purge = g->purge || !g->check;
	g->forget = g->forget || !g->check;
	g->repair = g->repair && !g->dry;
	queues = argv_operands(argc, argv).words;
	g->doubt = *queues && !quiet;
	for (char **name = queues; *name; name++)
		opt_queue(*name);
	return queues;
}

static void collect(struct gc *g, char **names)
{
	enum status status = queues_each(&g->queues, names, visit_queue, g);

	g->status = worse(g->status, status);
	if (g->lines.len > 0)
		write_lines(g);
}

int main(int argc, char **argv)
{
	struct gc g = {.keep = INT64_C(30) * 86400 * 1000, .idle = INT64_C(86400) * 1000};
	char **queues;

	opt_start(&g.opt, "dq-gc");
	queues = parse(&g, argc, argv);
	opt_connect(&g.opt, &g.conn, opt_caught(stop_catch()));
	progress_start(&g.progress, g.dry ? "found" : "removed", -1);
	queue_set_init(&g.queues, &g.conn, g.opt.prefix);
	snprintf(g.keep_text, sizeof g.keep_text, "%lld", (long long)g.keep);
	if (g.purge)
		g.queues.ahead = purge_ahead;
	collect(&g, queues);
	if (g.opt.verbose && g.purge)
		warn("%lld %s", g.dropped, g.dry ? "would be removed" : "removed");
	if (g.opt.verbose && g.forgotten > 0)
		warn("%lld queue%s removed", g.forgotten, g.forgotten == 1 ? "" : "s");
	buf_free(&g.lines);
	queue_set_free(&g.queues);
	nodes_close(&g.conn);
	finish(g.status);
}
