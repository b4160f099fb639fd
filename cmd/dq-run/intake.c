#include "intake.h"

#include "base/clock.h"
#include "queue/idle.h"
#include "redis/nodes.h"
#include "tool/absent.h"
#include "tool/die.h"
#include "tool/reconnect.h"
#include "tool/notice.h"
#include "tool/stop.h"

#define CONFIRM_AGAIN 1000 /* ms until a retry after leases could not be confirmed */
#define LAUNCH_AGAIN 500   /* ms until a retry after a command could not be started */
#define DRAIN_POLL 500     /* ms between polls for --drain */
#define SOON 100           /* ms until the next call, if a node is unreachable or a queue has
                            * another number of shards */

/* down handles a failed exchange about the i-th queue (or about all,
 * if i is 0): it opens both connections anew. */
static void down(struct intake *in, int i, const struct err *e)
{
	waiter_lost(&in->rounds.waiter);
	in->waiting = false;
	nodes_lost(&in->conf->x->nodes, in->rounds.list.all[i].name, e);
}

static const struct wait *wait_now(struct intake *in)
{
	return shutdown_wait(in->shutdown, in->pool);
}

/* absent reports a queue that does not exist yet, once: after the first call,
 * if that brought no message. */
static int absent(struct intake *in, int i)
{
	bool ask = rounds_unknown(&in->rounds, i) && !in->conf->quiet;
	struct err e;

	if (!ask ||
	    absent_say(&in->rounds.list.all[i],
		       worker_ends_by_itself(in->conf) ? ABSENT_PUT : ABSENT_WAIT, false, &e) >= 0)
		return 0;
	down(in, i, &e);
	return -1;
}

/* rest: the next call comes in ms. Until then other tools have the marks. In a cluster a failure
 * stops only the queues of the node. */
static void rest(struct intake *in, int64_t ms)
{
	struct err e;

	in->again_at = clock_ms() + ms;
	in->waiting = false;
	if (waiter_rest(&in->rounds.waiter, wait_now(in), &e) < 0)
		down(in, 0, &e);
}

/* unconfirmed: a failover may lose these leases,
 * and lease the same messages again: no command may start for them. */
static void unconfirmed(struct intake *in, struct queue *q, const struct err *e)
{
	if (!in->again_at)
		warn("%s: leased, %s: given back", q->name, e->text);
	launch_return(&in->launch, &in->take, q, 0);
	if (worker_ends_by_itself(in->conf) || e->status != DQ_TEMPORARY)
		intake_end(in, (int)e->status);
	rest(in, CONFIRM_AGAIN);
}

/* failed judges a failed call for the i-th shard. -1: further calls are useless now. */
static int failed(struct intake *in, int i, struct err *e)
{
	in->unsure = in->unsure || e->fate == FATE_UNKNOWN;
	in->take.count = 0;
	switch (rounds_failed(&in->rounds, i, e)) {
	case ROUNDS_ALL:
		down(in, i, e);
		return -1;
	case ROUNDS_CHANGED:
		in->shards_changed = true;
		in->waiting = false; /* the marks that it holds are returned soon: see regroup */
		return -1;
	case ROUNDS_PARTIAL:
		warn("%s: %s: trying again", in->rounds.list.all[i].name, e->text);
		return 0;
	case ROUNDS_STILL:
	case ROUNDS_AWAY:
		return 0;
	}
	return -1;
}

/* called: the call for the i-th shard, sent at asked (clock_us), was good. */
static void called(struct intake *in, int i, int64_t asked)
{
	const struct rounds_reply got = {in->take.now_us, asked, (int)in->take.wanted,
					 (int)in->take.count, in->take.why};
	const char *name = in->rounds.list.all[i].name;
	unsigned news = rounds_good(&in->rounds, i, &got);

	session_answered(in->conf->x->session);
	if (news & ROUNDS_SERVED)
		warn("%s: served again", name);
	if (!in->conf->quiet)
		withheld_paused(&in->rounds, i, news, in->take.until);
}

/* leaves_more: may the shard of the last call give more now? With --rotate it has been asked for
 * its share only. since: see take_since. */
static bool leaves_more(const struct intake *in, int64_t since)
{
	if (in->conf->until_empty)
		return take_due(&in->take, in->take.now + 1);
	return in->conf->rotate ? take_goes_on(&in->take, true, since) : in->take.more;
}

/* take_from takes messages of the i-th queue for the free jobs.
 * Returns 0, or -1 if further calls are useless now. */
static int take_from(struct intake *in, int i, int wanted)
{
	const struct take_conf conf = {.count = wanted, .ttr = in->conf->ttr, .promote = true,
				       .holder = in->conf->holder,
				       .held = waiter_held(&in->rounds.waiter, i)};
	struct queue *q = &in->rounds.list.all[i];
	int64_t asked = clock_us();
	struct err e = {.status = DQ_DONE};
	int status;
	bool taken = take_run(&in->take, q, &conf, wait_now(in), &e) == 0 ||
		     e.fate == FATE_UNCONFIRMED;

	pool_hear(in->pool, in->conf->x, wait_now(in));
	if (!taken)
		return failed(in, i, &e);
	notice_say(q);
	called(in, i, asked);
	if (e.fate == FATE_UNCONFIRMED) {
		unconfirmed(in, q, &e);
		return -1;
	}
	if (in->take.count > 0)
		in->again_at = 0;
	if (absent(in, i) < 0)
		return -1;
	status = launch_all(&in->launch, &in->take, q, asked / 1000);
	if (status == LAUNCH_LATER)
		rest(in, LAUNCH_AGAIN);
	else if (status && status != LAUNCH_FULL)
		intake_end(in, status);
	return status ? -1 : 0;
}

/* await_node: a worker that ends by itself does so when it has asked all queues, or if the other
 * queues bring nothing (idle) for the time-out for a reply, or for --retry-for
 * (nodes_moving_for). */
static void await_node(struct intake *in, bool idle)
{
	const struct conn_conf *conf = in->conf->x->conf;
	int64_t now = clock_ms();

	if (!in->rounds.missed)
		in->missed_since = 0;
	else if (!in->missed_since || !idle)
		in->missed_since = now;
	else if (worker_ends_by_itself(in->conf) &&
		 now - in->missed_since > nodes_moving_for(conf)) {
		warn("%s: still not served: ending", in->rounds.missed_name);
		intake_end(in, DQ_TEMPORARY);
	}
	/* the waiter does not say when to call again */
	if (in->rounds.missed && (in->conf->once || (in->conf->until_empty && idle)))
		in->again_at = now + SOON;
}

/* take_round takes messages from each queue in turn for the free jobs,
 * and begins to wait if jobs remain free. */
static void take_round(struct intake *in, int wanted)
{
	size_t before = in->launch.started;
	/* else a verdict may be sent again behind the takes, and its message be due then */
	bool idle = pool_busy(in->pool) == 0;
	int64_t tended = clock_ms();
	int64_t since = -1; /* of the calls for one shard, one after another */
	bool more = false;
	struct err e;
	int i, share;

	if (rounds_begin(&in->rounds, &e) < 0) {
		down(in, 0, &e);
		return;
	}
	while (wanted > 0 && !stop_signal() && (i = rounds_next(&in->rounds, false)) >= 0) {
		share = rounds_share(&in->rounds, i, wanted);
		more = more || share == 0;
		if (share == 0)
			continue;
		if (take_from(in, i, share > QUEUE_BATCH ? QUEUE_BATCH : share) < 0)
			return;
		wanted -= (int)in->take.count;
		if (wanted > 0 && clock_ms() > tended) { /* a round may take longer than a lease */
			pool_tend(in->pool, in->conf->x, wait_now(in));
			tended = clock_ms();
		}
		since = take_since(&in->take, since);
		if (in->conf->once && take_goes_on(&in->take, true, since)) {
			/* a call brings only a batch, and --once has no other round */
			rounds_stay(&in->rounds);
		} else {
			more = more || leaves_more(in, since);
			since = -1;
		}
	}
	if (!in->conf->quiet)
		withheld_limited(&in->withheld, &in->rounds);
	in->waiting = false;
	pool_receive(in->pool, in->conf->x, wait_now(in)); /* if it has asked no queue */
	await_node(in, in->launch.started == before && pool_runs(in->pool) == 0);
	if (in->conf->once && (in->launch.started > before || (!more && !in->rounds.missed)))
		/* else the next round takes what some left */
		in->finished = !in->conf->rotate || wanted == 0 || !more;
	else if (in->rounds.missed && in->rounds.waiter.waits.what == 0)
		return; /* and call again soon */
	else if (in->conf->until_empty && !more && !in->rounds.missed && pool_busy(in->pool) == 0)
		/* else a mark may be unread: the waits end below; the next round asks all */
		in->finished = idle && !in->rounds.unasked;
	else if (wanted > 0 && !more && waiter_open(&in->rounds.waiter, wait_now(in), &e) < 0)
		down(in, 0, &e);
	else
		in->waiting = wanted > 0 && !more;
	/* Without free jobs, waiting tools get the marks now: the next call may be much later. */
	if (!in->waiting && nodes_left(&in->conf->x->nodes) &&
	    waiter_rest(&in->rounds.waiter, wait_now(in), &e) < 0)
		down(in, 0, &e);
}

/* regroup: a queue has another number of shards than was thought. Jobs point to shards, so no
 * command may run. False: not now. */
static bool regroup(struct intake *in)
{
	struct err e;

	rest(in, SOON);
	if (pool_busy(in->pool) > 0 ||
	    (!in->conf->x->nodes.cluster && !in->conf->x->nodes.root.conn.redis))
		return false;
	if (rounds_regroup(&in->rounds, wait_now(in), &e) < 0) {
		down(in, 0, &e);
		return false;
	}
	in->shards_changed = false;
	in->again_at = 0;
	in->regrouped = true;
	return true;
}

void intake_run(struct intake *in, bool stopped)
{
	int wanted, left, worth = 1;
	struct err e;

	/* no take hears the verdicts */
	if (in->finished || stopped || in->waiting || in->shards_changed)
		pool_receive(in->pool, in->conf->x, wait_now(in));
	launch_widen(&in->launch);
	wanted = pool_free_soon(in->pool);
	left = in->conf->jobs - (int)in->launch.started;
	if (in->conf->once && wanted > left) /* an error may have ended a round after some calls */
		wanted = left;
	if (in->finished || stopped || wanted == 0) {
		if ((in->waiting || in->shards_changed) &&
		    waiter_rest(&in->rounds.waiter, wait_now(in), &e) < 0)
			down(in, 0, &e);
		in->waiting = false;
		return;
	}
	if (clock_ms() < in->again_at || !reconnect_up(in->conf->x, wait_now(in)) ||
	    (in->shards_changed && !regroup(in)))
		return;
	if (in->waiting)
		worth = rounds_read(&in->rounds, wait_now(in), &e);
	/* no command runs: there is nothing to wait for */
	if (worth == 0 && in->conf->until_empty && pool_busy(in->pool) == 0)
		worth = 1;
	if (worth < 0)
		down(in, 0, &e);
	else if (worth)
		take_round(in, wanted);
}

/* look reads all queues, or until one is busy. */
static int look(void *ctx, struct idle *pass)
{
	struct intake *in = ctx;
	struct err e;

	for (int i = 0; i < in->conf->queue_count && !pass->busy; i++)
		if (idle_add(pass, &in->conf->queues[i], NULL, &e) < 0) {
			if (e.fate != FATE_MOVING && e.fate != FATE_SHARDS)
				down(in, 0, &e);
			return -1;
		}
	return 0;
}

/* is_drained: are no messages delayed (but held ones), ready or leased in any queue? */
static bool is_drained(struct intake *in)
{
	return idle_all(true, look, in) > 0;
}

void intake_drain(struct intake *in)
{
	if (in->conf->drain && !in->finished && in->waiting &&
	    reconnect_up(in->conf->x, wait_now(in)))
		in->finished = is_drained(in);
}

/* --- for the worker --- */

int intake_init(struct intake *in, const struct worker_conf *conf, struct pool *pool,
		struct shutdown *shutdown)
{
	struct err e;

	*in = (struct intake){.conf = conf, .pool = pool, .shutdown = shutdown};
	/* --drain polls: settling leaves no mark */
	in->rounds = (struct rounds){.x = conf->x, .lasts = true, .rotates = conf->rotate,
				     .what = conf->once ? 0 : WAITER_READY | WAITER_TIME,
				     .cap = conf->drain ? DRAIN_POLL : 0};
	in->rounds.turn = (unsigned)clock_us();
	if (launch_init(&in->launch, conf, pool, shutdown) < 0)
		return -1;
	return rounds_watch_these(&in->rounds, conf->queues, conf->queue_count, &e);
}

void intake_free(struct intake *in)
{
	rounds_free(&in->rounds);
	withheld_free(&in->withheld);
	take_free(&in->take);
	launch_free(&in->launch);
}

void intake_end(struct intake *in, int status)
{
	in->status = status;
	in->finished = true;
}

/* reads_marks: does intake_run read the marks now? Only then may their descriptors be polled: they
 * would stay readable. */
static bool reads_marks(const struct intake *in)
{
	return in->waiting && in->conf->x->nodes.root.conn.redis && clock_ms() >= in->again_at;
}

int64_t intake_time(const struct intake *in)
{
	int64_t connect_at = in->conf->x->nodes.root.conn.redis ? 0 :
								  in->conf->x->session->retry_at;

	if (!reads_marks(in))
		return (in->again_at > connect_at ? in->again_at : connect_at) * 1000;
	return rounds_time(&in->rounds);
}

nfds_t intake_polls(const struct intake *in, struct pollfd *polls)
{
	return reads_marks(in) ? waiter_polls(&in->rounds.waiter, polls) : 0;
}

void intake_rest(struct intake *in)
{
	struct err e;

	if (nodes_left(&in->conf->x->nodes)) /* if it fails, the other tools poll within seconds */
		waiter_rest(&in->rounds.waiter, shutdown_wait(in->shutdown, in->pool), &e);
}
