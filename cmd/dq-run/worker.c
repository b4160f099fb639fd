#include "worker.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "lease_check.h"
#include "pool.h"
#include "queue/take.h"
#include "queue/waiter.h"
#include "shutdown.h"
#include "tool/absent.h"
#include "tool/die.h"
#include "tool/environ.h"
#include "tool/notice.h"

struct worker {
	const struct worker_conf *conf;
	struct environ_base environment;
	struct pool pool;
	struct lease_check check;
	struct pollfd *polls;
	struct take take;
	int stops;           /* signals so far: 1 = take no more, 2 = end what runs */
	struct waiter waiter;
	bool waiting;        /* the last look left room: the waiter says when the next is worth while */
	struct session session;
	struct wait wait;    /* see wait_now */
	struct shutdown shutdown;
	bool *paused;        /* the queues that were so when last seen */
	bool *known;         /* those of which we know whether they exist, or have asked */
	bool finished;       /* take no more: --once and its kind, or not runnable */
	bool unsure;         /* the answer to a take was lost: what it leased comes again when its lease ends */
	size_t taken, failed;
	int status;          /* if not 0, what ends it */
};

#define DRAIN_LOOK 500 /* ms between looks whether all is done */

/* down: an exchange about the i-th queue failed (or about all, if i is 0); both connections are opened anew. */
static void down(struct worker *w, int i, const struct err *e)
{
	waiter_lost(&w->waiter);
	w->waiting = false;
	session_lost(&w->session, w->conf->queues[i].name, e);
}

static bool ends_by_itself(const struct worker_conf *conf)
{
	return conf->once || conf->drain || conf->until_empty;
}

/* tire: what is to end does not wait for Redis for ever. */
static void tire(struct worker *w)
{
	bool ends = w->stops || w->finished || ends_by_itself(w->conf);

	if (!shutdown_over(&w->shutdown, &w->session, &w->pool, ends))
		return;
	w->status = w->status ? w->status : DQ_TEMPORARY;
	w->finished = true;
}

/* reap gathers the commands that ended. */
static void reap(struct worker *w)
{
	pool_gather(&w->pool);
	for (int i = 0; i < w->conf->jobs; i++) {
		int code = job_reap(&w->pool.jobs[i], w->stops >= 2);
		w->failed += code != -2 && code != 0;
	}
}

/* wait_now: of an exchange that begins now. */
static const struct wait *wait_now(struct worker *w)
{
	w->wait = shutdown_wait(&w->shutdown, &w->pool);
	return &w->wait;
}

/* tend does what is due with each job. */
static void tend(struct worker *w)
{
	lease_check_run(&w->check, &w->pool, &w->session, wait_now(w));
	for (int i = 0; i < w->conf->jobs; i++) {
		struct job *s = &w->pool.jobs[i];
		job_tend(s, &w->session, wait_now(w));
		if (s->state != JOB_ENDED)
			continue;
		job_settle(s, &w->session, wait_now(w));
		if (s->state != JOB_FREE && shutdown_gives_up(&w->shutdown))
			job_abandon(s);
	}
	if (w->session.status != DQ_DONE) {
		w->status = (int)w->session.status;
		w->finished = true;
	}
	if (w->stops >= 2 || w->session.status != DQ_DONE)
		shutdown_limit(&w->shutdown);
}

static int start(struct worker *w, struct queue *q, size_t i, int64_t asked)
{
	struct delivery d;
	char **envp;
	int failed;

	take_delivery(&w->take, i, &d);
	envp = environ_for(&w->environment, q->name, w->take.token, &d);
	failed = job_start(pool_free_job(&w->pool), q, &w->take, &d, w->conf->argv, envp, w->conf->ttr, asked);
	w->taken += !failed;
	return failed;
}

/* not_runnable: the command cannot even be started, for whatever message; what was taken goes back and the worker ends. What a
 * command that was started ends with, be it 126 or 127, says something of its message only. */
static void not_runnable(struct worker *w, struct queue *q, size_t from, int failed)
{
	char shown[200];
	struct err e;

	text_shown(shown, sizeof shown, w->conf->argv[0], strlen(w->conf->argv[0]));
	warn("%s: %s", shown, strerror(failed));
	if (take_return(&w->take, q, from, wait_now(w), &e) < 0)
		warn("%s: %zu messages could not be given back and are redelivered when their leases end: %s", q->name,
		     w->take.count - from, e.text);
	w->finished = true;
	if (failed == EAGAIN || failed == ENOMEM || failed == EMFILE || failed == ENFILE)
		w->status = DQ_TEMPORARY;
	else
		w->status = failed == ENOENT ? WORKER_NOT_FOUND : WORKER_NOT_RUNNABLE;
}

/* absent speaks of a queue that does not exist yet, once: after its first look, which gave nothing. */
static int absent(struct worker *w, int i)
{
	bool ask = !w->known[i] && w->take.count == 0 && !w->conf->quiet;
	struct err e;

	w->known[i] = true;
	if (!ask || absent_say(&w->conf->queues[i], ends_by_itself(w->conf) ? ABSENT_PUT : ABSENT_WAIT, false, &e) >= 0)
		return 0;
	down(w, i, &e);
	return -1;
}

/* take_from fills free jobs from the i-th queue. 0, or -1 when it is no use to go on now. */
static int take_from(struct worker *w, int i, int wanted, bool *more)
{
	const struct take_conf conf = {.count = wanted, .ttr = w->conf->ttr, .promote = true,
				       .held = waiter_held(&w->waiter, i)};
	struct queue *q = &w->conf->queues[i];
	int64_t asked = clock_us();
	struct err e;

	if (take_run(&w->take, q, &conf, wait_now(w), &e) < 0) {
		w->unsure = w->unsure || e.fate == FATE_UNKNOWN;
		down(w, i, &e);
		return -1;
	}
	notice_say(q);
	session_answered(&w->session);
	waiter_looked(&w->waiter, i, w->take.now_us, asked, w->take.count > 0);
	*more = *more || (w->conf->until_empty ? take_due(&w->take) : w->take.more);
	if (w->take.paused && !w->paused[i])
		warn("%s: paused: nothing is taken until it is resumed (dq-promote --resume)", q->name);
	w->paused[i] = w->take.paused;
	if (absent(w, i) < 0)
		return -1;
	for (size_t k = 0; k < w->take.count; k++) {
		int failed = start(w, q, k, asked / 1000);
		if (failed) {
			not_runnable(w, q, k, failed);
			return -1;
		}
	}
	return 0;
}

/* look takes for the free jobs from each queue in turn, and then waits for more if jobs are left. */
static void look(struct worker *w, int wanted)
{
	size_t before = w->taken;
	bool more = false;
	struct err e;

	for (int i = 0; i < w->conf->queue_count && wanted > 0; i++) {
		if (take_from(w, i, wanted > QUEUE_BATCH ? QUEUE_BATCH : wanted, &more) < 0)
			return;
		wanted -= (int)w->take.count;
	}
	w->waiting = false;
	if (w->conf->once && (w->taken > before || !more))
		w->finished = true;
	else if (w->conf->until_empty && !more && pool_busy(&w->pool) == 0)
		w->finished = true; /* what has ended since the last look may have left something: see take_more */
	else if (wanted > 0 && !more && waiter_open(&w->waiter, wait_now(w), &e) < 0)
		down(w, 0, &e);
	else
		w->waiting = wanted > 0 && !more;
	/* without room its marks go to those who wait, now: the next round may be a long sleep away */
	if (!w->waiting && w->conf->conn->redis && waiter_rest(&w->waiter, wait_now(w), &e) < 0)
		down(w, 0, &e);
}

/* take_more looks when there is room and reason; without room it hands its marks to those who wait. */
static void take_more(struct worker *w)
{
	int wanted = w->conf->jobs - pool_busy(&w->pool), worth = 1;
	struct err e;

	if (w->finished || w->stops || wanted == 0) {
		if (w->waiting && waiter_rest(&w->waiter, wait_now(w), &e) < 0)
			down(w, 0, &e);
		w->waiting = false;
		return;
	}
	if (!link_up(&w->session, wait_now(w)))
		return;
	if (w->waiting && !(w->conf->until_empty && wanted == w->conf->jobs)) /* nothing runs that would be worth waiting for */
		worth = waiter_read(&w->waiter, wait_now(w), &e);
	if (worth < 0)
		down(w, 0, &e);
	else if (worth)
		look(w, wanted);
}

/* is_drained: nothing is delayed, ready or leased anywhere: there is nothing to wait for. */
static bool is_drained(struct worker *w)
{
	struct queue_counts c;
	struct err e;

	for (int i = 0; i < w->conf->queue_count; i++) {
		int status = queue_stat(&w->conf->queues[i], &c, &e);
		queue_counts_free(&c);
		if (status < 0) {
			down(w, i, &e);
			return false;
		}
		if (c.delayed + c.due + c.ready + c.leased > 0)
			return false;
	}
	return true;
}

/* tell says what a worker that was asked to end waits for: at a terminal, and in the log of a supervisor. */
static void tell(int commands)
{
	if (commands > 0)
		warn("finishing %d command%s; signal again to end %s", commands, commands == 1 ? "" : "s", commands == 1 ? "it" : "them");
}

/* hear reads the signals that came. */
static void hear(struct worker *w)
{
	int before = w->stops;
	char bytes[64];
	ssize_t n;

	while ((n = read(w->conf->child_fd, bytes, sizeof bytes)) > 0)
		;
	while ((n = read(w->conf->signal_fd, bytes, sizeof bytes)) > 0)
		w->stops += (int)n;
	if (before == 0 && w->stops == 1)
		tell(pool_runs(&w->pool));
	if (w->stops < 2 || w->stops == before)
		return;
	pool_end(&w->pool);
	shutdown_end(&w->shutdown, &w->session, &w->pool);
}

/* next_time: when (clock_us) something is to be done although nothing happens. */
static int64_t next_time(struct worker *w)
{
	int64_t connect_at = w->conf->conn->redis ? 0 : w->session.retry_at;
	int64_t at = clock_sooner(clock_ms() + 60000, shutdown_time(&w->shutdown, &w->pool, connect_at)) * 1000;

	if (w->finished || w->stops || pool_busy(&w->pool) == w->conf->jobs)
		return at;
	return clock_sooner(at, w->waiting ? waiter_time(&w->waiter) : connect_at * 1000);
}

/* sleep_until waits for signals, children and their pipes, and marks. at is of clock_us. */
static void sleep_until(struct worker *w, int64_t at)
{
	nfds_t n = 0;

	w->polls[n++] = (struct pollfd){.fd = w->conf->signal_fd, .events = POLLIN};
	w->polls[n++] = (struct pollfd){.fd = w->conf->child_fd, .events = POLLIN};
	n += pool_polls(&w->pool, w->polls + n);
	if (w->waiting && waiter_fd(&w->waiter) >= 0)
		w->polls[n++] = (struct pollfd){.fd = waiter_fd(&w->waiter), .events = conn_events(&w->waiter.blocking)};
	if (clock_poll(w->polls, n, at) > 0)
		pool_serve(&w->pool, w->polls + 2);
}

static void work(struct worker *w)
{
	for (;;) {
		hear(w);
		reap(w);
		tend(w);
		take_more(w);
		tire(w);
		if (pool_busy(&w->pool) == 0) {
			if (w->conf->drain && !w->finished && w->waiting && link_up(&w->session, wait_now(w)))
				w->finished = is_drained(w);
			if (w->finished || w->stops)
				return;
		}
		sleep_until(w, next_time(w));
	}
}

/* outcome is the tool's status. */
static int outcome(const struct worker *w)
{
	const struct worker_conf *conf = w->conf;

	if (w->status)
		return w->status;
	if (conf->once && w->taken == 0 && !w->stops)
		return w->unsure ? DQ_TEMPORARY : DQ_NO;
	if (conf->until_empty && w->unsure) {
		warn("%s%s: a reply was lost: messages that it leased are redelivered when their leases end", conf->queues[0].name,
		     conf->queue_count > 1 ? "..." : "");
		return DQ_TEMPORARY;
	}
	return w->failed && ends_by_itself(conf) ? WORKER_SOME_FAILED : DQ_DONE;
}

int worker_run(const struct worker_conf *conf)
{
	struct worker w = {.conf = conf, .session = {.conn = conf->conn, .report = link_report}};
	int what = conf->once ? 0 : WAITER_READY | WAITER_TIME;
	char url[URL_TEXT];
	struct err e;
	int status;

	shutdown_init(&w.shutdown, &conf->conn->conf);
	url_bare(&conf->conn->conf.url, url);
	w.paused = calloc((size_t)conf->queue_count, sizeof *w.paused);
	w.known = calloc((size_t)conf->queue_count, sizeof *w.known);
	w.polls = calloc(3 + 2 * (size_t)conf->jobs, sizeof *w.polls);
	if (pool_init(&w.pool, conf->jobs, conf->kill_after) < 0 || !w.polls || !w.paused || !w.known ||
	    lease_check_init(&w.check, conf->queues, conf->queue_count) < 0 ||
	    environ_init(&w.environment, url, conf->prefix, conf->password_file) < 0 ||
	    waiter_init(&w.waiter, conf->conn, conf->queues, conf->queue_count, what, &e) < 0)
		die(DQ_TEMPORARY, "out of memory");
	if (conf->drain)
		w.waiter.cap = DRAIN_LOOK; /* what others settle leaves no mark */
	work(&w);
	if (conf->conn->redis)
		waiter_rest(&w.waiter, wait_now(&w), &e); /* if it fails, the others look by themselves within seconds */
	if (conf->verbose)
		warn("%zu run, %zu failed", w.taken, w.failed);
	status = outcome(&w);
	waiter_free(&w.waiter);
	take_free(&w.take);
	environ_free(&w.environment);
	lease_check_free(&w.check);
	pool_free(&w.pool);
	free(w.polls);
	free(w.paused);
	free(w.known);
	return status;
}
