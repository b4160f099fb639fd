#include "job.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/text.h"
#include "redis/nodes.h"
#include "redis/url_text.h"
#include "tool/diag.h"
#include "tool/stop.h"

#define RENEW_RETRY 100 /* ms between tries to renew without a connection */
#define LINGER 20       /* ms between looks at a process group whose leader has ended */
#define UNKILLABLE 2000 /* ms after KILL: what has not ended by then hangs in the kernel, or is another user's */

int job_start(struct job *s, struct queue *q, const struct take *t, const struct delivery *d, char *const argv[],
	      char *const envp[], int64_t ttr, int64_t asked)
{
	int64_t kill_after = s->kill_after;
	int failed;

	memset(s, 0, sizeof *s);
	s->kill_after = kill_after;
	s->queue = q;
	memcpy(s->id, d->id, d->id_len + 1);
	strcpy(s->token, t->token);
	s->ttr = ttr >= 0 ? ttr : d->ttr;
	s->lease_end = asked + (d->lease_until - t->now);
	s->renew_at = asked + s->ttr / 3;
	s->look_at = clock_ms() + JOB_LOOK;
	failed = child_start(&s->child, argv, envp, d->payload, d->len);
	if (failed)
		return failed;
	s->state = JOB_RUNNING;
	return 0;
}

void job_end(struct job *s)
{
	s->state = JOB_ENDING;
	s->kill_at = clock_ms() + s->kill_after;
	child_signal(&s->child, SIGTERM);
}

void job_doubt(struct job *s)
{
	s->renew_at = clock_ms();
}

static void lose(struct job *s, const char *why)
{
	warn("%s/%s: the lease is lost (%s): ending its command", s->queue->name, s->id, why);
	s->lost = true;
	if (s->state == JOB_RUNNING)
		job_end(s);
}

static void down(const struct job *s, struct session *l, const struct err *e)
{
	char name[2 * NAME_MAX_BYTES + 2];

	snprintf(name, sizeof name, "%s/%s", s->queue->name, s->id);
	nodes_lost(l, name, e);
}

/* renew extends one lease. Its end is counted from before the request, so that it is never later here than there. */
static void renew(struct job *s, struct session *l, const struct wait *wait)
{
	char amount[24];
	enum settle_letter letter;
	struct settle_call how;
	int64_t now = clock_ms();
	struct err e;

	if (!link_up(l, wait)) {
		s->renew_at = now + RENEW_RETRY;
		return;
	}
	snprintf(amount, sizeof amount, "%lld", (long long)s->ttr);
	how = settle_call(SETTLE_EXTEND, amount, "");
	if (settle_run(s->queue, &how, s->id, s->token, wait, &letter, &e) < 0) {
		down(s, l, &e);
		s->renew_at = now + RENEW_RETRY;
		return;
	}
	session_answered(l);
	if (letter == SETTLED_OK) {
		s->lease_end = now + s->ttr;
		s->renew_at = now + s->ttr / 3;
		s->look_at = now + JOB_LOOK;
	} else {
		lose(s, letter == SETTLED_ABSENT ? "no such message" : "released, taken by another consumer, or put again");
	}
}

/* One that was told to end still works on its message until it has. */
static bool has_lease(const struct job *s)
{
	return s->state == JOB_RUNNING || (s->state == JOB_ENDING && !s->lost);
}

/* leave: nothing ends it, and it must not keep us. Its message stays leased: to give that back would start it a second time. */
static void leave(struct job *s)
{
	warn("%s/%s: its command does not end, not even by KILL: not settled", s->queue->name, s->id);
	child_forget(&s->child);
	s->lost = true;
	s->linger_at = clock_ms();
}

void job_tend(struct job *s, struct session *l, const struct wait *wait)
{
	int64_t now = clock_ms();

	if (has_lease(s) && now >= s->lease_end)
		lose(s, "it expired before it was renewed");
	else if (has_lease(s) && now >= s->renew_at)
		renew(s, l, wait);
	if (s->state != JOB_ENDING || now < s->kill_at)
		return;
	if (s->killed) {
		leave(s);
		return;
	}
	child_signal(&s->child, SIGKILL);
	s->killed = true;
	s->kill_at = now + UNKILLABLE;
}

/* why writes the reason to keep: what the command said last, or how it ended. code as in judge. */
static void why(struct job *s, int code)
{
	if (s->child.last_len)
		memcpy(s->reason, s->child.last, s->child.last_len + 1);
	else if (code >= 0)
		snprintf(s->reason, sizeof s->reason, "exit status %d", code);
	else
		snprintf(s->reason, sizeof s->reason, "killed by signal %d", WTERMSIG(s->child.status));
}

/* judge turns the way a command ended into a verdict. code: its exit status, -1 = a signal ended it. */
static enum settle_verb judge(int code, bool give_back)
{
	if (code == 0)
		return SETTLE_DONE;
	if (give_back)
		return SETTLE_GIVE_BACK;
	return code == DQ_DATA ? SETTLE_BURY : SETTLE_RETRY;
}

bool job_reap(struct job *s, bool give_back)
{
	int code;

	if ((s->state != JOB_RUNNING && s->state != JOB_ENDING) || !child_reap(&s->child, warn_through))
		return false;
	if (s->state == JOB_ENDING && child_leaves(&s->child)) {
		s->linger_at = clock_ms() + LINGER;
		return false;
	}
	code = WIFEXITED(s->child.status) ? WEXITSTATUS(s->child.status) : -1;
	s->state = JOB_ENDED;
	if (code == 0)
		s->lost = false; /* it is done nevertheless: a late ack counts if no other consumer took the message */
	s->verdict = judge(code, give_back);
	why(s, code);
	return code != 0;
}

/* bring: while the server is in doubt, it may hang, and a signal ends the exchange; a verdict can be brought twice. */
static int bring(struct job *s, const struct session *l, const struct wait *wait, enum settle_letter *letter, struct err *e)
{
	struct settle_call how = settle_call(s->verdict, "", s->reason);
	struct wait by = *wait;
	int status;

	if (l->pause)
		by.stop_fd = stop_fd();
	status = settle_run(s->queue, &how, s->id, s->token, &by, letter, e);
	s->unconfirmed = status < 0 && e->fate == FATE_UNCONFIRMED;
	return s->unconfirmed ? 0 : status;
}

void job_settle(struct job *s, struct session *l, const struct wait *wait)
{
	enum settle_letter letter;
	char shown[200];
	struct err e;

	if (s->state != JOB_ENDED)
		return;
	if (!s->lost) {
		if (!link_up(l, wait))
			return;
		if (bring(s, l, wait, &letter, &e) < 0) {
			s->sent = s->sent || e.fate == FATE_UNKNOWN;
			down(s, l, &e);
			return;
		}
		session_answered(l);
		if (s->unconfirmed && (letter == SETTLED_OK || letter == SETTLED_DEAD))
			warn("%s/%s: settled, %s", s->queue->name, s->id, e.text);
		if (letter == SETTLED_DEAD || (letter == SETTLED_OK && s->verdict == SETTLE_BURY))
			warn("%s/%s: dead: %s", s->queue->name, s->id, text_shown(shown, sizeof shown, s->reason, strlen(s->reason)));
		else if ((letter == SETTLED_STALE || letter == SETTLED_ABSENT) && !s->sent)
			warn("%s/%s: not settled: %s", s->queue->name, s->id,
			     letter == SETTLED_ABSENT ? "no such message" : "this receipt is no longer valid");
	}
	child_free(&s->child);
	s->state = JOB_FREE;
}

void job_abandon(struct job *s)
{
	char server[URL_TEXT];

	url_shown(&s->queue->conn->conf.url, server);
	warn("%s/%s: not settled: no answer from Redis (%s): redelivered when its lease ends", s->queue->name, s->id, server);
	child_free(&s->child);
	s->state = JOB_FREE;
}

int64_t job_time(const struct job *s)
{
	int64_t at = has_lease(s) ? clock_sooner(s->lease_end, s->renew_at) : INT64_MAX;

	if (s->state == JOB_RUNNING)
		at = clock_sooner(at, s->look_at);
	if (s->state == JOB_ENDING)
		at = clock_sooner(at, s->child.pid ? s->kill_at : clock_sooner(s->kill_at, s->linger_at));
	return at;
}
