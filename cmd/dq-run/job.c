#include "job.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "redis/nodes.h"
#include "tool/diag.h"

#define RENEW_RETRY 100 /* ms between attempts to renew without a connection */
#define LINGER 20       /* ms between checks of a process group whose leader has ended */
#define UNKILLABLE 2000 /* ms after KILL: a process that is still alive hangs in the kernel,
                         * or belongs to another user */

void job_clear(struct job *s, int64_t kill_after)
{
	memset(s, 0, offsetof(struct job, reason));
	s->kill_after = kill_after;
	s->reason[0] = '\0';
	child_clear(&s->child);
}

int job_start(struct job *s, struct queue *q, const struct take *t, const struct delivery *d,
	      const struct worker_conf *conf, char *const envp[], const int says[2], int64_t asked)
{
	int failed;

	job_clear(s, s->kill_after);
	s->queue = q;
	memcpy(s->id, d->id, d->id_len + 1);
	strcpy(s->token, t->token);
	s->ttr = conf->ttr >= 0 ? conf->ttr : d->ttr;
	s->ahead = t->now + 1 - asked;
	s->lease_end = asked + (d->lease_until - t->now);
	s->renew_at = asked + s->ttr / 3;
	s->check_at = clock_ms() + JOB_CHECK;
	failed = child_start(&s->child, conf->argv, envp, says, conf->result && d->keep, d->payload,
			     d->len);
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

void job_lost(const struct job *s, struct exchange *x, const struct err *e)
{
	char name[2 * NAME_MAX_BYTES + 2];

	snprintf(name, sizeof name, "%s/%s", s->queue->name, s->id);
	nodes_lost(&x->nodes, name, e);
}

/* unrenewed: the lease is valid until its end.
 * A queue whose removal was interrupted may have the message until then. */
static void unrenewed(struct job *s, struct exchange *x, const struct err *e)
{
	s->renew_at = clock_ms() + RENEW_RETRY;
	if (e->fate != FATE_SHARDS) {
		job_lost(s, x, e);
		return;
	}
	if (!s->removed)
		warn("%s/%s: its lease is not renewed: %s: trying again", s->queue->name, s->id,
		     e->text);
	s->removed = true;
}

/* renew extends one lease. The new end counts from before the request, so that it is never later
 * here than on the server. */
static void renew(struct job *s, struct exchange *x, const struct wait *wait)
{
	char amount[24];
	enum settle_letter letter;
	struct settle_call how;
	int64_t now = clock_ms();
	struct err e;

	if (!reconnect_up(x, wait)) {
		s->renew_at = now + RENEW_RETRY;
		return;
	}
	snprintf(amount, sizeof amount, "%lld", (long long)s->ttr);
	how = settle_call(SETTLE_EXTEND, amount, "");
	if (settle_run(s->queue, &how, s->id, s->token, wait, &letter, &e) < 0) {
		unrenewed(s, x, &e);
		return;
	}
	session_answered(x->session);
	if (letter == SETTLED_OK) {
		s->lease_end = now + s->ttr;
		s->renew_at = now + s->ttr / 3;
		s->check_at = now + JOB_CHECK;
	} else {
		lose(s, letter == SETTLED_ABSENT ?
				"settled already, or removed" :
				"released, taken by another consumer, or put again");
	}
}

/* has_lease: a command that was asked to end still works on its message until it ends. */
static bool has_lease(const struct job *s)
{
	return s->state == JOB_RUNNING || (s->state == JOB_ENDING && !s->lost);
}

/* leave gives up a command that no signal ends, so that the worker can end. Its message stays
 * leased: giving it back would start it a second time. */
static void leave(struct job *s)
{
	warn("%s/%s: its command did not end after KILL: not settled", s->queue->name, s->id);
	child_forget(&s->child);
	s->lost = true;
	s->linger_at = clock_ms();
}

void job_tend(struct job *s, struct exchange *x, const struct wait *wait)
{
	int64_t now = clock_ms();

	if (has_lease(s) && now >= s->lease_end)
		lose(s, "it expired before it was renewed");
	else if (has_lease(s) && now >= s->renew_at)
		renew(s, x, wait);
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

bool job_reap(struct job *s)
{
	if (s->state == JOB_ENDING && s->child.pid == 0) {
		output_pass(&s->child.out);
		output_drop(&s->child.out); /* whoever must end does not wait for a reader */
	}
	if ((s->state != JOB_RUNNING && s->state != JOB_ENDING) ||
	    !child_reap(&s->child, warn_through))
		return false;
	if (s->state == JOB_ENDING && child_leaves(&s->child)) {
		s->linger_at = clock_ms() + LINGER;
		return false;
	}
	s->state = JOB_ENDED;
	return true;
}

int64_t job_time(const struct job *s)
{
	int64_t at = has_lease(s) ? clock_sooner(s->lease_end, s->renew_at) : INT64_MAX;

	/* without a process, and nothing to pass on,
	 * its payload was refused: job_reap has to see it */
	if (s->state == JOB_RUNNING)
		at = s->child.pid || output_waits(&s->child.out) ? clock_sooner(at, s->check_at) :
								   clock_ms();
	if (s->state == JOB_ENDING)
		at = clock_sooner(at, s->child.pid ? s->kill_at :
						     clock_sooner(s->kill_at, s->linger_at));
	return at;
}
