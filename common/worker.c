#include "worker.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "clock.h"
#include "die.h"
#include "environ.h"
#include "receipt.h"
#include "take.h"
#include "text.h"

/* A slot holds one delivery from take to settled. */
enum slot_state {
	SLOT_FREE,
	SLOT_RUNNING,
	SLOT_ENDING, /* its group got TERM: the lease is lost, or we were told twice to stop */
	SLOT_ENDED   /* the command is over, the verdict is not yet with Redis */
};

struct slot {
	enum slot_state state;
	struct child child;
	struct queue *queue;
	char id[NAME_MAX_BYTES + 1], token[NAME_TOKEN_MAX + 1];
	int64_t ttr;        /* ms, of each extension */
	int64_t lease_end;  /* clock_ms: not later than the server's end of the lease */
	int64_t renew_at;   /* clock_ms: time to extend */
	int64_t kill_at;    /* clock_ms: ENDING becomes KILL */
	bool lost;          /* the lease is: nothing is to be settled */
	bool sent;          /* the verdict went out once, and its answer was lost */
	enum receipt_verb verdict;
	char reason[RECEIPT_REASON_MAX + 1];
};

struct worker {
	const struct worker_conf *conf;
	struct environ_base environment;
	struct slot *slots;
	struct pollfd *polls;
	struct take take;
	int stops;           /* signals so far: 1 = take no more, 2 = end what runs */
	int64_t look_at;     /* clock_ms: take again */
	int64_t connect_at;  /* clock_ms: try to connect again */
	int64_t pause;       /* ms between tries */
	bool finished;       /* take no more: --once, --drain, or not runnable */
	size_t taken, failed;
	int status;          /* if not 0, what ends it */
};

#define LOOK_MIN 100  /* ms between looks at a queue that has nothing due */
#define LOOK_MAX 1000
#define RETRY_MAX 2000

static int busy(const struct worker *w)
{
	int n = 0;

	for (int i = 0; i < w->conf->jobs; i++)
		n += w->slots[i].state != SLOT_FREE;
	return n;
}

/* away: the connection is gone, or the server cannot serve; say so once and come back later. What will not pass by itself
 * ends the worker. */
static void away(struct worker *w, const struct err *e)
{
	if (e->status != DQ_TEMPORARY && e->status != DQ_UNAVAILABLE) {
		if (!w->status)
			warn("%s: %s", w->conf->queues[0].name, e->text);
		w->status = (int)e->status;
		w->finished = true;
	} else if (w->pause == 0) {
		warn("%s: connecting again", e->text);
	}
	conn_close(w->conf->conn); /* whatever it said, a new one finds out better */
	w->pause = w->pause ? w->pause * 2 : 50;
	if (w->pause > RETRY_MAX)
		w->pause = RETRY_MAX;
	w->connect_at = clock_ms() + w->pause;
}

/* connected is true when Redis may be asked something now. */
static bool connected(struct worker *w)
{
	struct err e;

	if (w->conf->conn->redis)
		return true;
	if (clock_ms() < w->connect_at)
		return false;
	if (conn_open(w->conf->conn, &e) < 0) {
		away(w, &e);
		return false;
	}
	return true;
}

static void answered(struct worker *w)
{
	if (w->pause)
		warn("connected again");
	w->pause = 0;
}

static void end_child(struct worker *w, struct slot *s)
{
	s->state = SLOT_ENDING;
	s->kill_at = clock_ms() + w->conf->kill_after;
	child_signal(&s->child, SIGTERM);
}

static void lose(struct worker *w, struct slot *s, const char *why)
{
	warn("%s/%s: the lease is lost (%s): ending its command", s->queue->name, s->id, why);
	s->lost = true;
	w->failed++;
	end_child(w, s);
}

/* renew extends one lease. Its end is counted from before the request, so that it is never later here than there. */
static void renew(struct worker *w, struct slot *s)
{
	char amount[24], letter;
	struct receipt_call how;
	int64_t now = clock_ms();
	struct err e;

	if (!connected(w)) {
		s->renew_at = now + LOOK_MIN;
		return;
	}
	snprintf(amount, sizeof amount, "%lld", (long long)s->ttr);
	how = receipt_call(RECEIPT_EXTEND, amount, "");
	if (receipt_settle(s->queue, &how, s->id, s->token, &letter, &e) < 0) {
		away(w, &e);
		s->renew_at = now + LOOK_MIN;
		return;
	}
	answered(w);
	if (letter == 'd') {
		s->lease_end = now + s->ttr;
		s->renew_at = now + s->ttr / 3;
	} else {
		lose(w, s, letter == 'u' ? "the message is gone" : "somebody else has it");
	}
}

static void watch_lease(struct worker *w, struct slot *s)
{
	int64_t now = clock_ms();

	if (s->state == SLOT_RUNNING && now >= s->lease_end)
		lose(w, s, "it ran out unrenewed");
	else if (s->state == SLOT_RUNNING && now >= s->renew_at)
		renew(w, s);
	if (s->state == SLOT_ENDING && now >= s->kill_at) {
		child_signal(&s->child, SIGKILL);
		s->kill_at = now + 1000;
	}
}

/* judge turns the way a command ended into a verdict. */
static void judge(struct worker *w, struct slot *s)
{
	int status = s->child.status, code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;

	s->state = SLOT_ENDED;
	if (s->lost)
		return;
	if (s->child.last_len)
		memcpy(s->reason, s->child.last, s->child.last_len + 1);
	else if (code >= 0)
		snprintf(s->reason, sizeof s->reason, "exit status %d", code);
	else
		snprintf(s->reason, sizeof s->reason, "killed by signal %d", WTERMSIG(status));
	if (code == 0) {
		s->verdict = RECEIPT_DONE;
		return;
	}
	if (code == WORKER_NOT_RUNNABLE || code == WORKER_NOT_FOUND) {
		s->verdict = RECEIPT_GIVE_BACK;
		w->status = code;
		w->finished = true;
		warn("%s/%s: given back: exit status %d of %s: stopping", s->queue->name, s->id, code, w->conf->argv[0]);
		return;
	}
	s->verdict = w->stops >= 2 ? RECEIPT_GIVE_BACK : code == DQ_DATA ? RECEIPT_BURY : RECEIPT_RETRY;
	w->failed++;
}

/* settle brings a verdict to Redis; without an answer it stays, and is brought again. */
static void settle(struct worker *w, struct slot *s)
{
	struct receipt_call how = receipt_call(s->verdict, "", s->reason);
	char letter, shown[200];
	struct err e;

	if (!s->lost) {
		if (!connected(w))
			return;
		if (receipt_settle(s->queue, &how, s->id, s->token, &letter, &e) < 0) {
			s->sent = s->sent || e.fate == FATE_UNKNOWN;
			away(w, &e);
			return;
		}
		answered(w);
		if (letter == 'b' || s->verdict == RECEIPT_BURY)
			warn("%s/%s: dead: %s", s->queue->name, s->id, text_shown(shown, sizeof shown, s->reason, strlen(s->reason)));
		else if ((letter == 's' || letter == 'u') && !s->sent)
			warn("%s/%s: not settled: %s", s->queue->name, s->id,
			     letter == 'u' ? "no such message" : "this receipt is no longer valid");
	}
	child_free(&s->child);
	s->state = SLOT_FREE;
	w->look_at = 0;
}

static void reap(struct worker *w)
{
	for (int i = 0; i < w->conf->jobs; i++) {
		struct slot *s = &w->slots[i];
		if ((s->state == SLOT_RUNNING || s->state == SLOT_ENDING) && child_reap(&s->child, warn_through))
			judge(w, s);
	}
}

/* start runs the command for one delivery. */
static int start(struct worker *w, struct slot *s, struct queue *q, const struct delivery *d, int64_t asked)
{
	char **envp;
	int failed;

	memset(s, 0, sizeof *s);
	s->queue = q;
	memcpy(s->id, d->id, d->id_len + 1);
	strcpy(s->token, w->take.token);
	s->ttr = w->conf->ttr >= 0 ? w->conf->ttr : d->ttr;
	s->lease_end = asked + (d->lease_until - w->take.now);
	s->renew_at = asked + s->ttr / 3;
	envp = environ_for(&w->environment, q->name, w->take.token, d);
	failed = envp ? child_start(&s->child, w->conf->argv, envp, d->payload, d->len) : ENOMEM;
	if (failed)
		return failed;
	s->state = SLOT_RUNNING;
	w->taken++;
	return 0;
}

/* not_runnable: the command cannot even be started; what was taken goes back and the worker ends. */
static void not_runnable(struct worker *w, struct queue *q, size_t from, int failed)
{
	char shown[200];
	struct err e;

	text_shown(shown, sizeof shown, w->conf->argv[0], strlen(w->conf->argv[0]));
	warn("%s: %s", shown, strerror(failed));
	if (take_return(&w->take, q, from, &e) < 0)
		warn("%s: %zu messages could not be given back and come again when their leases end: %s", q->name,
		     w->take.count - from, e.text);
	w->finished = true;
	if (failed == EAGAIN || failed == ENOMEM || failed == EMFILE || failed == ENFILE)
		w->status = DQ_TEMPORARY;
	else
		w->status = failed == ENOENT ? WORKER_NOT_FOUND : WORKER_NOT_RUNNABLE;
}

static struct slot *free_slot(struct worker *w)
{
	for (int i = 0; i < w->conf->jobs; i++)
		if (w->slots[i].state == SLOT_FREE)
			return &w->slots[i];
	return NULL;
}

/* take_from fills free slots from one queue. 0, or -1 when it is no use to go on now. */
static int take_from(struct worker *w, struct queue *q, int wanted)
{
	const struct take_conf conf = {.count = wanted, .ttr = w->conf->ttr, .promote = true};
	int64_t asked = clock_ms(), until;
	struct err e;

	if (take_run(&w->take, q, &conf, &e) < 0) {
		away(w, &e);
		return -1;
	}
	answered(w);
	until = w->take.next >= 0 ? asked + (w->take.next - w->take.now) : w->look_at;
	if (w->take.more)
		w->look_at = 0;
	else if (until < w->look_at)
		w->look_at = until > asked + LOOK_MIN ? until : asked + LOOK_MIN;
	for (size_t i = 0; i < w->take.count; i++) {
		struct delivery d;
		int failed;
		take_delivery(&w->take, i, &d);
		failed = start(w, free_slot(w), q, &d, asked);
		if (failed) {
			not_runnable(w, q, i, failed);
			return -1;
		}
	}
	return 0;
}

static void take_more(struct worker *w)
{
	int wanted = w->conf->jobs - busy(w);

	if (w->finished || w->stops || wanted == 0 || clock_ms() < w->look_at || !connected(w))
		return;
	w->look_at = clock_ms() + LOOK_MAX;
	for (int i = 0; i < w->conf->queue_count && wanted > 0; i++) {
		if (take_from(w, &w->conf->queues[i], wanted > QUEUE_BATCH ? QUEUE_BATCH : wanted) < 0)
			return;
		wanted -= (int)w->take.count;
	}
	if (w->conf->once)
		w->finished = true;
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
			away(w, &e);
			return false;
		}
		if (c.delayed + c.due + c.ready + c.leased > 0)
			return false;
	}
	return true;
}

/* hear reads the signals that came. */
static void hear(struct worker *w)
{
	char bytes[64];
	ssize_t n;

	while ((n = read(w->conf->child_fd, bytes, sizeof bytes)) > 0)
		;
	while ((n = read(w->conf->signal_fd, bytes, sizeof bytes)) > 0)
		w->stops += (int)n;
	if (w->stops < 2)
		return;
	for (int i = 0; i < w->conf->jobs; i++)
		if (w->slots[i].state == SLOT_RUNNING)
			end_child(w, &w->slots[i]);
}

static int64_t sooner(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* next_time: when something is to be done although nothing happens. */
static int64_t next_time(struct worker *w)
{
	int64_t at = clock_ms() + 60000, base = w->conf->conn->redis ? 0 : w->connect_at;

	for (int i = 0; i < w->conf->jobs; i++) {
		const struct slot *s = &w->slots[i];
		if (s->state == SLOT_RUNNING)
			at = sooner(at, sooner(s->lease_end, s->renew_at));
		else if (s->state == SLOT_ENDING)
			at = sooner(at, s->kill_at);
		else if (s->state == SLOT_ENDED)
			at = sooner(at, base);
	}
	if (!w->finished && !w->stops && busy(w) < w->conf->jobs)
		at = sooner(at, w->look_at > base ? w->look_at : base);
	return at;
}

/* sleep_until waits for signals, children and their pipes. */
static void sleep_until(struct worker *w, int64_t at)
{
	int64_t wait = at - clock_ms();
	nfds_t n = 0;

	w->polls[n++] = (struct pollfd){.fd = w->conf->signal_fd, .events = POLLIN};
	w->polls[n++] = (struct pollfd){.fd = w->conf->child_fd, .events = POLLIN};
	for (int i = 0; i < w->conf->jobs; i++) {
		const struct slot *s = &w->slots[i];
		bool runs = s->state == SLOT_RUNNING || s->state == SLOT_ENDING;
		w->polls[n++] = (struct pollfd){.fd = runs ? s->child.in : -1, .events = POLLOUT};
		w->polls[n++] = (struct pollfd){.fd = runs ? s->child.err : -1, .events = POLLIN};
	}
	if (poll(w->polls, n, wait < 0 ? 0 : (int)wait) <= 0)
		return;
	for (int i = 0; i < w->conf->jobs; i++) {
		if (w->polls[2 + i * 2].revents)
			child_feed(&w->slots[i].child);
		if (w->polls[3 + i * 2].revents)
			child_drain(&w->slots[i].child, warn_through);
	}
}

static void work(struct worker *w)
{
	for (;;) {
		hear(w);
		reap(w);
		for (int i = 0; i < w->conf->jobs; i++) {
			watch_lease(w, &w->slots[i]);
			if (w->slots[i].state == SLOT_ENDED)
				settle(w, &w->slots[i]);
		}
		take_more(w);
		if (busy(w) == 0) {
			if (w->conf->drain && !w->finished && w->look_at > clock_ms() && connected(w))
				w->finished = is_drained(w);
			if (w->finished || w->stops)
				return;
		}
		sleep_until(w, next_time(w));
	}
}

int worker_run(const struct worker_conf *conf)
{
	struct worker w = {.conf = conf};
	size_t jobs = (size_t)conf->jobs;
	int status;

	w.slots = calloc(jobs, sizeof *w.slots);
	w.polls = calloc(2 + 2 * jobs, sizeof *w.polls);
	if (!w.slots || !w.polls || environ_init(&w.environment) < 0)
		die(DQ_TEMPORARY, "out of memory");
	work(&w);
	if (conf->verbose)
		warn("%zu run, %zu failed", w.taken, w.failed);
	status = w.status;
	if (!status && conf->once && w.taken == 0 && !w.stops)
		status = DQ_NO;
	if (!status && w.failed && (conf->once || conf->drain))
		status = WORKER_SOME_FAILED;
	take_free(&w.take);
	environ_free(&w.environment);
	free(w.slots);
	free(w.polls);
	return status;
}
