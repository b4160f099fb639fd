/* dq-promote: makes due messages ready, and messages whose leases have expired. */
#include <stdio.h>

#include "options.h"
#include "queue/shards.h"
#include "queue/stat.h"
#include "redis/nodes.h"
#include "redrive.h"
#include "tool/absent.h"
#include "tool/args.h"
#include "tool/die.h"
#include "tool/queues.h"
#include "tool/stop.h"
#include "watch.h"

struct promoter {
	struct options options;
	struct exchange x;
	struct queue_set queues;
	struct redrive redrive; /* its apply.done also counts the messages that queues promoted */
	long long back, died, expired;
	bool refused;           /* the queue in work could not be promoted */
	enum status status;     /* of the last sweep */
};

static bool is_over(const struct promoter *p)
{
	return stop_signal() || apply_left(&p->redrive.apply) == 0;
}

/* promote_shard promotes everything due, in short calls. */
static int promote_shard(void *ctx, struct queue *q, struct err *e)
{
	struct promoter *p = ctx;
	struct queue_moved moved = {.more = !is_over(p)};
	struct call *begun = p->queues.begun;

	while (moved.more && !is_over(p)) {
		int64_t left = apply_left(&p->redrive.apply);
		int limit = left < QUEUE_BATCH ? (int)left : QUEUE_BATCH;
		if ((call_begun(begun) ?
			     queue_promote_end(begun, &moved, e) :
			     queue_promote(q, limit, (struct held){.what = HELD_NOTHING}, &moved,
					   e)) < 0)
			return -1;
		p->redrive.apply.done += moved.promoted;
		p->back += moved.back;
		p->died += moved.died;
		p->expired += moved.expired;
		progress_tick(&p->redrive.apply.progress, p->redrive.apply.done, 0);
	}
	return 0;
}

static int failed(struct promoter *p, const struct queue *q, const struct err *e)
{
	p->refused = true;
	if (queue_set_put_off(&p->queues, q, e))
		return 0;
	p->status = worse(p->status, e->status);
	if (e->status != DQ_STOPPED)
		warn("%s: not promoted: %s", q->name, e->text);
	return nodes_left(&p->x.nodes) && e->status != DQ_STOPPED ? 0 : -1;
}

/* sweep_queue: a queue with a broken key must not keep the others from being promoted. */
static int sweep_queue(void *ctx, struct queue *q)
{
	struct promoter *p = ctx;
	struct err e;

	if (p->options.dry)
		return apply_all(&p->redrive.apply, q, "due", -1);
	if (is_over(p))
		return -1;
	return shards_each(q, promote_shard, p, &e) == 0 ? 0 : failed(p, q, &e);
}

/* warn_if_absent warns about a queue that does not exist yet: its name may be mistyped, and the
 * intended queue remains as it was. */
static int warn_if_absent(struct promoter *p, struct queue *q)
{
	struct err e;

	if (p->options.quiet || absent_say(q, ABSENT_PUT, false, &e) >= 0)
		return 0;
	p->status = worse(p->status, e.status);
	if (e.status != DQ_STOPPED)
		warn("%s: %s", q->name, e.text);
	return -1;
}

static enum status sweep(struct promoter *p)
{
	enum status status;

	p->status = DQ_DONE;
	status = queues_each(&p->queues, p->options.names, sweep_queue, p);
	return worse(status, p->status);
}

static enum status follow(struct promoter *p)
{
	struct follow w = {.x = &p->x, .prefix = p->options.common.prefix,
			   .names = p->options.names, .lasts = p->options.lasts,
			   .limit = p->options.limit, .quiet = p->options.quiet};
	enum status status = watch_run(&w);

	p->redrive.apply.done = w.promoted;
	p->back = w.back;
	p->died = w.died;
	p->expired = w.expired;
	return status;
}

static long long moved(const struct promoter *p)
{
	return p->redrive.apply.done + p->back + p->died + p->expired;
}

/* each_named promotes a named queue; if nothing was due, it checks that the queue exists. */
static int each_named(struct promoter *p, struct queue *q)
{
	long long before;

	if (apply_finish(&p->redrive.apply) < 0)
		return -1;
	before = moved(p);
	p->refused = p->redrive.apply.refused = false;
	if ((p->options.dead || p->options.release ? redrive_queue(&p->redrive, q) :
						     sweep_queue(p, q)) < 0 ||
	    apply_finish(&p->redrive.apply) < 0)
		return -1;
	if (moved(p) > before || p->refused || p->redrive.apply.refused)
		return 0;
	return warn_if_absent(p, q);
}

static int each_later(void *ctx, struct queue *q)
{
	struct promoter *p = ctx;

	return each_named(p, q);
}

static int each_word(void *ctx, const char *word, size_t len, enum status bad)
{
	struct promoter *p = ctx;
	struct queue *q;
	struct name name;
	struct err e;

	if (name_parse(word, len, options_forms(&p->options), &name, &e) < 0) {
		warn("%s", e.text);
		p->status = worse(p->status, bad);
		return 0;
	}
	q = queue_set_find(&p->queues, name.queue);
	if (!q)
		die(DQ_TEMPORARY, "out of memory");
	if (name.id[0])
		return apply_add(&p->redrive.apply, q, name.id);
	return each_named(p, q);
}

static int before_wait(void *ctx, struct meanwhile *meanwhile, int64_t *until)
{
	struct promoter *p = ctx;

	return apply_flush(&p->redrive.apply, meanwhile, until);
}

static enum status each_operand(struct promoter *p)
{
	const struct args args = {.each = each_word, .before_wait = before_wait, .ctx = p,
				  .stop_fd = p->x.conf->wait.stop_fd};
	enum status status;

	p->status = DQ_DONE;
	status = args_each(&args, p->options.names);
	apply_finish(&p->redrive.apply);
	status = worse(status, queues_rest(&p->queues, each_later, p));
	return worse(status, p->status);
}

static enum status run(struct promoter *p)
{
	if (p->options.follow)
		return follow(p);
	if (!p->options.dead && !p->options.release && !p->options.dry)
		queue_set_moving_last(&p->queues);
	if (*p->options.names || p->options.dead || p->options.release)
		return each_operand(p);
	if (p->options.limit < 0 && !p->options.dry)
		p->queues.begin = queue_promote_begin;
	return sweep(p);
}

static void say_counts(const struct promoter *p)
{
	long long done = p->redrive.apply.done;

	if (p->options.dry || p->options.dead || p->options.release)
		warn("%lld %s%s", done, p->options.dry ? "would be " : "",
		     p->redrive.apply.conf.word);
	else
		warn("%lld promoted, %lld ready again, %lld dead, %lld expired", done, p->back,
		     p->died, p->expired);
	if (p->redrive.died)
		warn("%lld dead: out of tries", p->redrive.died);
}

int main(int argc, char **argv)
{
	struct promoter p = {.status = DQ_DONE};
	const struct options *o = &p.options;
	enum status status;

	options_read(&p.options, argc, argv);
	p.redrive = (struct redrive){.dead = o->dead, .release = o->release, .holder = o->holder,
				     .dry = o->dry, .limit = o->limit, .rate = o->rate,
				     .verbose = o->common.verbose, .quiet = o->quiet};
	opt_connect(&o->common, &p.x, opt_caught(stop_catch()));
	queue_set_init(&p.queues, &p.x, o->common.prefix);
	redrive_init(&p.redrive, &p.x);
	status = run(&p);
	if (o->common.verbose)
		say_counts(&p);
	apply_free(&p.redrive.apply);
	queue_set_free(&p.queues);
	exchange_close(&p.x);
	finish(worse(status, p.redrive.apply.status));
}
