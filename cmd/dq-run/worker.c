#include "worker.h"

#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "intake.h"
#include "lease_check.h"
#include "leftovers.h"
#include "pool.h"
#include "redis/nodes.h"
#include "shutdown.h"
#include "tool/die.h"
#include "tool/reconnect.h"
#include "verdict.h"

struct worker {
	const struct worker_conf *conf;
	struct pool pool;
	struct leftovers left;
	struct lease_check check;
	struct intake intake;
	struct pollfd *polls;
	int stops;           /* signals so far: 1 = take no more, 2 = end the commands */
	struct meanwhile hearing; /* signals that come during an exchange */
	bool heard;          /* one came */
	struct shutdown shutdown;
	size_t failed;
};

/* limit_ending limits how long an ending worker waits for Redis. */
static void limit_ending(struct worker *w)
{
	bool stopped = w->stops || w->intake.finished,
	     ends = stopped || worker_ends_by_itself(w->conf);

	if (shutdown_over(&w->shutdown, &w->pool, ends, stopped))
		intake_end(&w->intake, w->intake.status ? w->intake.status : DQ_TEMPORARY);
}

/* reap gathers commands that have ended. */
static void reap(struct worker *w)
{
	pool_gather(&w->pool);
	for (int i = 0; i < w->pool.count; i++)
		if (job_reap(&w->pool.jobs[i])) {
			leftovers_take(&w->left, &w->pool.jobs[i].child);
			w->failed += verdict_reach(&w->pool.jobs[i], w->stops >= 2);
		}
}

static const struct wait *wait_now(struct worker *w)
{
	return shutdown_wait(&w->shutdown, &w->pool);
}

/* tend acts for each job that needs it. Afterwards verdicts may be in flight. */
static void tend(struct worker *w)
{
	lease_check_run(&w->check, &w->pool, w->conf->x, wait_now(w));
	pool_tend(&w->pool, w->conf->x, wait_now(w));
	pool_settle(&w->pool, w->conf->x, wait_now(w));
	if (durable_wanted(&w->conf->x->conf->durable) || w->conf->x->nodes.cluster)
		/* a WAIT, or a node that hangs, would hold up the next take, or what it took */
		pool_receive(&w->pool, w->conf->x, wait_now(w));
	if (w->conf->x->session->status != DQ_DONE)
		intake_end(&w->intake, (int)w->conf->x->session->status);
	if (w->stops >= 2 || w->conf->x->session->status != DQ_DONE)
		shutdown_limit(&w->shutdown);
}

/* receive reads the replies in flight. It abandons verdicts that are not settled,
 * if their time is over. */
static void receive(struct worker *w)
{
	pool_receive(&w->pool, w->conf->x, wait_now(w));
	if (w->conf->x->session->status != DQ_DONE)
		intake_end(&w->intake, (int)w->conf->x->session->status);
	for (int i = 0; i < w->pool.count && shutdown_gives_up(&w->shutdown); i++)
		if (w->pool.jobs[i].state == JOB_ENDED)
			verdict_abandon(&w->pool.jobs[i], w->conf->x);
}

/* tell says what the worker waits for after a signal to stop: on a terminal,
 * and in the log of a supervisor. */
static void tell(int commands)
{
	if (commands > 0)
		warn("finishing %d command%s; signal again to end %s", commands,
		     commands == 1 ? "" : "s", commands == 1 ? "it" : "them");
}

/* hear reads the signals that have arrived. */
static void hear(struct worker *w)
{
	int before = w->stops;
	char bytes[64];
	ssize_t n;

	while ((n = read(w->conf->signal_fd, bytes, sizeof bytes)) > 0)
		w->stops += (int)n;
	if (w->stops == before)
		return;
	w->heard = true;
	/* a command that has ended already is neither waited for nor ended */
	pool_gather(&w->pool);
	if (before == 0 && w->stops == 1)
		tell(pool_works(&w->pool));
	if (w->stops < 2)
		return;
	pool_end(&w->pool);
	shutdown_end(&w->shutdown, &w->pool);
}

static void hear_meanwhile(struct meanwhile *m)
{
	hear(m->ctx);
}

/* attend prepares for what arrives from now on: a signal or the end of a command that comes later
 * keeps sleep_until from sleeping. */
static void attend(struct worker *w)
{
	char bytes[64];

	while (read(w->conf->child_fd, bytes, sizeof bytes) > 0)
		;
	hear(w);
	w->heard = false;
}

/* next_time: when (clock_us) the worker must act even without an event. */
static int64_t next_time(struct worker *w)
{
	int64_t connect_at = nodes_retry_at(&w->conf->x->nodes);
	int64_t at = clock_sooner(clock_ms() + 60000,
				  shutdown_time(&w->shutdown, &w->pool, connect_at)) *
		     1000;

	if (w->heard)
		return 1;
	if (w->intake.finished || w->stops)
		return at;
	if (pool_free_soon(&w->pool) == 0)
		return clock_sooner(at / 1000, launch_widen(&w->intake.launch)) * 1000;
	return clock_sooner(at, intake_time(&w->intake));
}

/* sleep_until waits for signals, for children and their pipes, and for marks. at is of clock_us. */
static void sleep_until(struct worker *w, int64_t at)
{
	nfds_t n = 0, left;

	w->polls[n++] = (struct pollfd){.fd = w->conf->signal_fd, .events = POLLIN};
	w->polls[n++] = (struct pollfd){.fd = w->conf->child_fd, .events = POLLIN};
	left = leftovers_polls(&w->left, warn_ready(), w->polls + n);
	n += left;
	n += pool_polls(&w->pool, w->polls + n);
	n += intake_polls(&w->intake, w->polls + n);
	if (clock_poll(w->polls, n, at) <= 0)
		return;
	leftovers_serve(&w->left, w->polls + 2);
	pool_serve(&w->pool, w->polls + 2 + left);
}

/* regroup prepares the new shards; no job points to a shard now. */
static void regroup(struct worker *w)
{
	if (!w->intake.regrouped)
		return;
	w->intake.regrouped = false;
	lease_check_free(&w->check);
	if (lease_check_init(&w->check, w->intake.rounds.list.all, w->intake.rounds.list.count) < 0)
		die(DQ_TEMPORARY, "out of memory");
}

static void work(struct worker *w)
{
	for (;;) {
		attend(w);
		reap(w);
		tend(w);
		intake_run(&w->intake, w->stops);
		regroup(w);
		receive(w);
		limit_ending(w);
		if (pool_busy(&w->pool) == 0) {
			intake_drain(&w->intake);
			if (w->intake.finished || w->stops)
				return;
		}
		sleep_until(w, next_time(w));
	}
}

/* outcome returns the status of the tool. */
static int outcome(const struct worker *w)
{
	const struct worker_conf *conf = w->conf;
	const struct intake *in = &w->intake;

	if (in->status)
		return in->status;
	if (conf->once && in->launch.started == 0 && !w->stops)
		return in->unsure ? DQ_TEMPORARY : DQ_NO;
	if (conf->until_empty && in->unsure) {
		warn("%s%s: a reply was lost: messages that it leased are redelivered when "
		     "their leases end",
		     conf->queues[0].name, conf->queue_count > 1 ? "..." : "");
		return DQ_TEMPORARY;
	}
	if (!worker_ends_by_itself(conf))
		return DQ_DONE;
	return w->failed ? WORKER_SOME_FAILED : w->pool.unconfirmed ? DQ_TEMPORARY : DQ_DONE;
}

int worker_run(const struct worker_conf *conf)
{
	struct worker w = {.conf = conf,
			   .hearing = {.fd = conf->signal_fd, .ready = hear_meanwhile}};
	int status;

	conf->x->session->report = reconnect_report;
	conf->x->tool_repeats = true;
	conf->x->nodes.moving = MOVING_FAILS;
	w.hearing.ctx = &w;
	conf->x->conf->wait.meanwhile = &w.hearing;
	shutdown_init(&w.shutdown, conf->x);
	w.polls = calloc(2 + WAITER_POLLS + LEFTOVERS_POLLS + POOL_POLLS * (size_t)conf->jobs,
			 sizeof *w.polls);
	if (pool_init(&w.pool, conf->jobs, conf->kill_after) < 0 || !w.polls ||
	    intake_init(&w.intake, conf, &w.pool, &w.shutdown) < 0 ||
	    lease_check_init(&w.check, w.intake.rounds.list.all, w.intake.rounds.list.count) < 0)
		die(DQ_TEMPORARY, "out of memory");
	work(&w);
	intake_rest(&w.intake);
	if (conf->verbose)
		warn("%zu run, %zu failed", w.intake.launch.started, w.failed);
	status = outcome(&w);
	intake_free(&w.intake);
	lease_check_free(&w.check);
	leftovers_free(&w.left);
	pool_free(&w.pool);
	free(w.polls);
	return status;
}
