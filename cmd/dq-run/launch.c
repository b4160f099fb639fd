#include "launch.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "message/said_pipe.h"
#include "redis/url_text.h"
#include "tool/diag.h"
#include "tool/stop.h"

int launch_init(struct launch *l, const struct worker_conf *conf, struct pool *pool,
		struct shutdown *shutdown)
{
	char url[URL_BARE];

	*l = (struct launch){.conf = conf, .pool = pool, .shutdown = shutdown};
	url_bare(&conf->x->conf->url, url);
	return environ_init(&l->environment, url, conf->prefix, conf->password_file,
			    &conf->x->conf->tls);
}

void launch_free(struct launch *l)
{
	environ_free(&l->environment);
}

static int start(struct launch *l, struct job *job, const struct take *t, size_t i, struct queue *q,
		 int64_t asked)
{
	struct delivery d;
	char key[SAID_KEY];
	int says[2], failed = child_pipe(says);

	if (failed)
		return failed;
	take_delivery(t, i, &d);
	if (said_key(key, says[0], q->name, d.id, t->token) < 0)
		key[0] = '\0';
	failed = job_start(job, q, t, &d, l->conf,
			   environ_for(&l->environment, q->name, t->token, &d, key), says, asked);
	l->started += !failed;
	if (!failed && job->child.pid) {
		l->ran = true;
		l->since = 0;
	}
	return failed;
}

void launch_return(const struct launch *l, struct take *t, struct queue *q, size_t from)
{
	struct err e;

	if (take_return(t, q, from, shutdown_wait(l->shutdown, l->pool), &e) < 0)
		warn("%s: %zu messages could not be given back and are redelivered when their "
		     "leases end: %s",
		     q->name, t->count - from, e.text);
}

#define PATIENCE 10000 /* ms for which a command may be missing while its file is being replaced */
#define APART 5000     /* ms between two failures, at most: else the file may have been
                        * there in between */

static int say(const struct launch *l, int failed, const char *then)
{
	const char *command = l->conf->argv[0];
	char shown[200];

	warn("%s: %s%s", text_shown(shown, sizeof shown, command, strlen(command)),
	     strerror(failed), then);
	return failed == ENOENT ? WORKER_NOT_FOUND : WORKER_NOT_RUNNABLE;
}

/* is_room: is it not the command, but that there is no room for one more? */
static bool is_room(int failed)
{
	return failed == EAGAIN || failed == ENOMEM || failed == EMFILE || failed == ENFILE;
}

/* passes: may the command be started soon? A command that was started before is probably being
 * replaced: for a moment its file, or its interpreter, is missing or incomplete. A file that is
 * being written (ETXTBSY) will be complete, and other processes will end. */
static bool passes(struct launch *l, int failed)
{
	int64_t now = clock_ms();
	char then[40];

	if (failed == EMFILE || (!l->ran && failed != ETXTBSY && !is_room(failed)))
		return false;
	if (!l->since || now - l->failed_at > APART) {
		l->since = now;
		snprintf(then, sizeof then, ": trying again for %d s", PATIENCE / 1000);
		say(l, failed, then);
	}
	l->failed_at = now;
	return now - l->since < PATIENCE;
}

#define WIDER 1000    /* ms between attempts to run more commands than had room */
#define WIDEST 60000  /* after many that failed: each is a take for nothing */
#define SPARE 32      /* of so many commands the room of one is left for connections */

static void widen_later(struct launch *l)
{
	l->pause = clock_backoff(l->pause, WIDER, WIDEST);
	l->wider_at = clock_ms() + l->pause;
}

/* narrow: as many commands as run now have room, or a few less. */
static int narrow(struct launch *l, int failed)
{
	int runs = pool_runs(l->pool), most = runs - runs / SPARE - (runs > 1);
	char then[80];

	snprintf(then, sizeof then, ": running %d at once, fewer than -j", most);
	if (!l->full)
		say(l, failed, then);
	l->full = true;
	l->pool->most = most;
	l->widened = false;
	widen_later(l);
	return LAUNCH_FULL;
}

int64_t launch_widen(struct launch *l)
{
	struct pool *pool = l->pool;

	if (pool->most == l->conf->jobs || pool_free_soon(pool) > 0)
		return INT64_MAX;
	if (clock_ms() < l->wider_at)
		return l->wider_at;
	pool->most += 1 + pool->most / SPARE;
	if (pool->most > l->conf->jobs)
		pool->most = l->conf->jobs;
	if (l->widened) /* all had room */
		l->pause = 0;
	l->widened = true;
	l->wider_at = clock_ms() + WIDER;
	return clock_ms();
}

/* not_started: the command cannot be started for any message. A command that was started may end
 * with 126 or 127, too: then only its message failed. */
static int not_started(struct launch *l, int failed)
{
	int status;

	if (is_room(failed) && pool_runs(l->pool) > 0)
		return narrow(l, failed);
	if (passes(l, failed))
		return LAUNCH_LATER;
	status = say(l, failed, "");
	return is_room(failed) ? DQ_TEMPORARY : status;
}

int launch_all(struct launch *l, struct take *t, struct queue *q, int64_t asked)
{
	struct job *job = NULL;
	int failed = 0, status;
	size_t k = 0;

	while (k < t->count && !stop_signal() && (job = pool_free_job(l->pool)) &&
	       (failed = start(l, job, t, k, q, asked)) == 0)
		k++;
	status = failed ? not_started(l, failed) : 0;
	if (k < t->count)
		launch_return(l, t, q, k);
	return status;
}
