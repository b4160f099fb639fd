/* dq-gc: purges dead letters after their keep time; checks and repairs queues. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "options.h"
#include "audit.h"
#include "queue/forget.h"
#include "queue/registry.h"
#include "queue/shards.h"
#include "wrong_shard.h"
#include "redis/nodes.h"
#include "tool/absent.h"
#include "tool/die.h"
#include "tool/out.h"
#include "tool/progress.h"
#include "tool/queues.h"
#include "tool/stop.h"

/* Which queues of the present group are to be forgotten, in the order of the group. */
struct going {
	bool wanted[QUEUE_TOGETHER];
	/* nothing is left of the queue but perhaps its name, which does not count */
	bool absent[QUEUE_TOGETHER];
	int count;
};

struct gc {
	struct options o;
	struct exchange x;
	struct queue_set queues;
	struct queue *queue;       /* in work */
	struct call *purging, *existing, *auditing; /* its calls that were begun, else NULL */
	struct wrong_shard wrong_shard; /* of the shard in work */
	char keep_text[24];
	bool empty;                /* the queue in work may be empty */
	struct going going;
	struct buf lines;          /* not yet written */
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

/* print_line prints a name (of the queue if id is NULL) and, unless NULL, a fault. A foreign client
 * may have written any bytes as an id. */
static int print_line(struct gc *g, const char *id, size_t len, const char *fault)
{
	struct buf *to = &g->lines;

	queue_set_commit(&g->queues);
	if (buf_text(to, g->queue->name) < 0 ||
	    (id && (buf_char(to, '/') < 0 || text_line(to, id, len) < 0)) ||
	    (fault && (buf_char(to, '\t') < 0 || text_line(to, fault, strlen(fault)) < 0)) ||
	    buf_char(to, '\n') < 0) {
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
	return g->o.dry ? print_line(g, id, strlen(id), NULL) : 0;
}

/* purge works in short calls, so that the server can serve others in between. It sets g->empty if
 * no message is left. */
static int purge(void *ctx, struct queue *q, struct err *e)
{
	struct gc *g = ctx;
	int64_t n, skip = 0;
	bool more, empty;

	do {
		if ((call_begun(g->purging) ?
			     queue_purge_end(g->purging, on_id, g, &n, &more, &empty, e) :
			     queue_purge(q, g->o.keep, g->o.dry, g->o.dry ? skip : 0, on_id, g, &n,
					 &more, &empty, e)) < 0)
			return -1;
		g->empty = empty;
		skip += n;
		progress_tick(&g->progress, g->dropped, 0);
	} while (more && !stop_signal());
	return 0;
}

/* begin begins the calls that each queue needs first, whatever it contains. */
static void begin(void *ctx, struct call *calls, struct queue *q)
{
	const struct gc *g = ctx;

	if (g->o.purge)
		queue_purge_begin(&calls[0], q, g->keep_text, g->o.dry);
	if (g->o.check)
		queue_exists_begin(&calls[1], q);
	if (g->o.check)
		audit_begin(&calls[2], q, g->o.repair);
}

static void set_queue(struct gc *g, struct queue *q)
{
	struct call *calls = g->queues.begun;

	g->queue = q;
	g->purging = calls ? &calls[0] : NULL;
	g->existing = calls ? &calls[1] : NULL;
	g->auditing = calls ? &calls[2] : NULL;
}

static int on_remaining(void *ctx, const struct audit_fault *f)
{
	struct gc *g = ctx;

	if (!g->o.repair || strcmp(f->fault, WRONG_SHARD) != 0 ||
	    wrong_shard_note(&g->wrong_shard, f->id, f->id_len) == 0)
		return 0;
	warn("out of memory");
	g->status = worse(g->status, DQ_TEMPORARY);
	return -1;
}

static int on_fault(void *ctx, const struct audit_fault *f)
{
	bool of_queue = !strcmp(f->fault, WRONG_LIMITS);

	if (on_remaining(ctx, f) < 0)
		return -1;
	return print_line(ctx, of_queue ? NULL : f->id, f->id_len, f->fault);
}

/* audit_again: what is left after a repair. A repair may bring to light that a message is in
 * the wrong shard. */
static int audit_again(struct gc *g, struct queue *q, struct audit_sum *left, struct err *e)
{
	bool moves = true;

	for (int audits = 0; audits < 2 && moves; audits++) {
		if (wrong_shard_move(&g->wrong_shard, g->queue, q, e) < 0 ||
		    audit_walk(q, NULL, false, on_remaining, g, left, e) < 0)
			return -1;
		moves = g->wrong_shard.ids.len > 0;
	}
	g->wrong_shard.ids.len = 0;
	return 0;
}

/* audit_name checks whether the list of queues and the queue agree. */
static int audit_name(struct gc *g, struct queue *q, struct err *e)
{
	const char *fault;

	if (registry_check(q, g->existing, !g->o.named, g->o.repair, &fault, e) < 0)
		return -1;
	if (!fault)
		return 0;
	g->faults++;
	if (!g->o.repair)
		g->status = worse(g->status, DQ_NO);
	return print_line(g, NULL, 0, fault) < 0 ? err_reported(e) : 0;
}

static int audit(void *ctx, struct queue *q, struct err *e)
{
	struct gc *g = ctx;
	struct audit_sum sum, left;

	g->wrong_shard.ids.len = 0; /* an audit that failed leaves its own */
	if (audit_walk(q, q->shards == 1 ? g->auditing : NULL, g->o.repair, on_fault, g, &sum,
		       e) < 0)
		return -1;
	g->faults += sum.faults;
	left = sum;
	if (sum.faults > 0 && g->o.repair && audit_again(g, q, &left, e) < 0)
		return -1;
	if (left.faults > 0) {
		g->status = worse(g->status, DQ_NO);
		if (g->o.repair)
			warn("%s: not repaired: %lld fault%s", q->name, (long long)left.faults,
			     left.faults == 1 ? "" : "s");
	}
	if (g->o.common.verbose)
		warn("%s: %lld faults, %lld repaired; read %lld bytes in %lld slices of "
		     "at most %lld",
		     q->name, (long long)sum.faults,
		     g->o.repair && left.faults < sum.faults ?
			     (long long)(sum.faults - left.faults) :
			     0,
		     (long long)sum.bytes, (long long)sum.slices, (long long)sum.max_bytes);
	return 0;
}

static int failed(struct gc *g, const struct queue *q, const char *what, const struct err *e)
{
	if (e->status == DQ_REPORTED)
		return -1;
	if (queue_set_put_off(&g->queues, q, e))
		return 0;
	g->status = worse(g->status, e->status);
	if (e->status != DQ_STOPPED)
		warn("%s: not %s: %s", q->name, what, e->text);
	return nodes_left(&g->x.nodes) && e->status != DQ_STOPPED ? 0 : -1;
}

static int visit_queue(void *ctx, struct queue *q)
{
	struct gc *g = ctx;
	const char *what = "collected";
	long long before = g->dropped + g->faults;
	struct err e;
	int status = 0, absent = 0, i = g->going.count++;

	set_queue(g, q);
	g->empty = true;
	g->going.wanted[i] = false;
	if (g->o.purge)
		status = shards_each(q, purge, g, &e);
	if (status == 0 && g->o.check) {
		what = g->o.repair ? "repaired" : "checked";
		status = audit_name(g, q, &e) < 0 ? -1 : shards_each(q, audit, g, &e);
	}
	if (status == 0 && g->o.doubt && g->dropped + g->faults == before) {
		absent = absent_say(q, ABSENT_PUT, false, &e);
		status = absent < 0 ? -1 : 0;
	}
	if (status < 0)
		return failed(g, q, what, &e);
	g->going.wanted[i] = g->o.forget && g->empty && !g->o.dry;
	g->going.absent[i] = absent > 0;
	return 0;
}

struct forgetting {
	struct gc *g;
	struct queue *queues;
};

static int on_gone(void *ctx, int i, bool forgotten, const struct err *e)
{
	const struct forgetting *t = ctx;

	t->g->forgotten += forgotten && !t->g->going.absent[i];
	return e ? failed(t->g, &t->queues[i], "removed", e) : 0;
}

/* forget removes empty queues and their names. */
static int forget(void *ctx, struct queue *queues, int count)
{
	struct gc *g = ctx;
	struct forgetting t = {g, queues};

	g->going.count = 0;
	/* a removal has two steps, of which the second is not begun anew */
	queue_set_commit(&g->queues);
	return forget_queues(queues, g->going.wanted, count, g->o.idle, on_gone, &t);
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
	struct gc g = {.status = DQ_DONE};
	char **queues = options_read(&g.o, argc, argv);

	opt_connect(&g.o.common, &g.x, opt_caught(stop_catch()));
	progress_start(&g.progress, g.o.dry ? "found" : "removed", -1);
	queue_set_init(&g.queues, &g.x, g.o.common.prefix);
	snprintf(g.keep_text, sizeof g.keep_text, "%lld", (long long)g.o.keep);
	queue_set_moving_last(&g.queues);
	g.queues.begin = begin;
	g.queues.together = forget;
	collect(&g, queues);
	if (g.o.common.verbose && g.o.purge)
		warn("%lld %s", g.dropped, g.o.dry ? "would be removed" : "removed");
	if (g.o.common.verbose && g.forgotten > 0)
		warn("%lld queue%s removed", g.forgotten, g.forgotten == 1 ? "" : "s");
	buf_free(&g.lines);
	wrong_shard_free(&g.wrong_shard);
	queue_set_free(&g.queues);
	exchange_close(&g.x);
	finish(g.status);
}
