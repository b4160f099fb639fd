/* dq-promote: moves what is due to ready, and what ran out of its lease back. */
#include <string.h>

#include "clock.h"
#include "die.h"
#include "opt.h"
#include "queues.h"
#include "sock.h"
#include "stop.h"

static const char usage[] =
	"usage: dq-promote [-f] [-q] [QUEUE...]\n"
	"Moves messages that are due to ready, and those whose lease ran out back to ready (or to dead, out of tries), in all\n"
	"queues or the named ones. Silent when all is well.\n"
	"  -f, --follow             go on for ever, sleeping until the next message is due\n"
	"  -q, --quiet              say nothing of a lost connection that came back\n" OPT_USAGE;

struct promoter {
	struct opt opt;
	struct conn conn;
	struct queues queues;
	char **names; /* operands; none = all */
	bool follow, quiet;
	int64_t pause; /* ms until the next move, as the last round saw it */
	long long promoted, back, died;
	enum status status; /* of the last sweep */
};

/* promote_queue moves all that is due, in short calls. */
static int promote_queue(struct promoter *p, struct queue *q, struct err *e)
{
	struct queue_moved moved;

	do {
		if (queue_promote(q, QUEUE_BATCH, &moved, e) < 0)
			return -1;
		p->promoted += moved.promoted;
		p->back += moved.back;
		p->died += moved.died;
	} while (moved.more && !stop_signal());
	if (moved.next >= 0 && moved.next - moved.now < p->pause)
		p->pause = moved.next - moved.now;
	return 0;
}

/* sweep_queue: a queue with a broken key must not keep the others from moving. */
static int sweep_queue(void *ctx, struct queue *q)
{
	struct promoter *p = ctx;
	struct err e;

	if (promote_queue(p, q, &e) == 0)
		return 0;
	p->status = worse(p->status, e.status);
	if (e.status != DQ_STOPPED)
		warn("%s: not promoted: %s", q->name, e.text);
	return p->conn.redis && e.status != DQ_STOPPED ? 0 : -1;
}

static enum status sweep(struct promoter *p)
{
	struct err e;

	p->pause = 1000;
	p->status = DQ_DONE;
	if (queues_each(&p->queues, p->names, sweep_queue, p, &e) < 0 && e.status != DQ_DONE) {
		p->status = worse(p->status, e.status);
		if (e.status != DQ_STOPPED)
			warn("%s:queues: %s", p->opt.prefix, e.text);
	}
	return p->status;
}

/* follow sweeps for ever, through lost connections and restarts; not through what will not pass by itself. */
static enum status follow(struct promoter *p)
{
	enum status status;
	struct err e;

	for (;;) {
		status = sweep(p);
		if (status != DQ_DONE && status != DQ_TEMPORARY && status != DQ_INTERNAL)
			return status;
		if (p->pause < 100)
			p->pause = 100;
		if (sock_wait(-1, 0, clock_ms() + p->pause, p->conn.conf.stop_fd, &e) < 0)
			return e.status;
		if (p->conn.redis)
			continue;
		if (conn_reopen(&p->conn, -1, &e) < 0)
			return e.status;
		if (!p->quiet)
			warn("connected again");
	}
}

static void parse(struct promoter *p, int argc, char **argv)
{
	static const struct option options[] = {
		OPT_LONG, {"follow", no_argument, NULL, 'f'}, {"quiet", no_argument, NULL, 'q'}, OPT_END};
	int c;

	while ((c = getopt_long(argc, argv, OPT_SHORT "fq", options, NULL)) != -1) {
		if (c == 'f')
			p->follow = true;
		else if (c == 'q')
			p->quiet = true;
		else
			opt_common(&p->opt, c, argv, usage);
	}
	p->names = argv + optind;
	for (char **name = p->names; *name; name++)
		opt_queue(*name);
}

int main(int argc, char **argv)
{
	struct promoter p = {.follow = false};
	enum status status;

	opt_start(&p.opt, "dq-promote");
	parse(&p, argc, argv);
	opt_connect(&p.opt, &p.conn, stop_catch());
	queues_init(&p.queues, &p.conn, p.opt.prefix);
	status = p.follow ? follow(&p) : sweep(&p);
	if (p.opt.verbose)
		warn("%lld promoted, %lld back from a lease that ran out, %lld dead", p.promoted, p.back, p.died);
	queues_free(&p.queues);
	conn_close(&p.conn);
	finish(status);
}
