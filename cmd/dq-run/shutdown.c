#include "shutdown.h"

#include <stdio.h>

#include "base/clock.h"
#include "redis/nodes.h"
#include "redis/url_text.h"
#include "tool/diag.h"

#define GIVE_UP 2000  /* ms for settling when the worker must end */
#define HURRY_MIN 500 /* ms that each exchange gets at least */

void shutdown_init(struct shutdown *p, struct exchange *x)
{
	*p = (struct shutdown){.x = x, .patient = x->conf->wait};
}

/* is_troubled: the connection is lost, or a slot is being moved. */
static bool is_troubled(const struct exchange *x)
{
	return x->session->pause || (x->nodes.cluster && x->nodes.cluster->moving_count);
}

/* time_left: ms for an exchange that begins now; INT64_MAX = no limit. A server that replies gets
 * some time in any case. */
static int64_t time_left(const struct shutdown *p, const struct pool *c, int64_t now)
{
	int64_t left = pool_hurry(c);

	if (p->until)
		left = clock_sooner(left, p->until - now);
	if (p->give_up_at)
		left = clock_sooner(left, p->give_up_at - now);
	if (left <= 0 && shutdown_gives_up(p) && is_troubled(p->x))
		return 0;
	return left < HURRY_MIN ? HURRY_MIN : left;
}

const struct wait *shutdown_wait(struct shutdown *p, const struct pool *c)
{
	int64_t now = clock_ms(), left = time_left(p, c, now);

	p->wait = p->patient;
	p->wait.until = left < INT64_MAX - now ? now + left : 0;
	if (p->wait.meanwhile)
		p->wait.meanwhile->until = 0;
	return &p->wait;
}

/* tell says why the worker does not end yet; without this it would seem to hang. */
static void tell(const struct exchange *x, int verdicts, int64_t left)
{
	int64_t tenths = (left + 50) / 100;
	char shown[URL_TEXT], time[32];

	if (verdicts == 0 || left <= 0)
		return;
	if (left < 1000)
		snprintf(time, sizeof time, "%dms", (int)left);
	else
		snprintf(time, sizeof time, "%gs", (double)tenths / 10);
	url_shown(&x->conf->url, shown);
	warn("%s: %d message%s to settle: %s for at most %s", shown, verdicts,
	     verdicts == 1 ? "" : "s",
	     x->session->pause ? "connecting again" : "trying again while a slot is being moved",
	     time);
}

/* tell_end says why the worker ends where no message of a verdict does. */
static void tell_end(const struct exchange *x)
{
	char shown[URL_TEXT];

	url_shown(&x->conf->url, shown);
	warn("%s: %s: ending", shown,
	     x->session->pause ? "still no connection" : "a slot is still being moved");
}

/* allowed: ms that Redis has to come back. A worker that was not told to stop may take all of
 * --retry-for; a shorter one is the limit unless there are verdicts to settle. */
static int64_t allowed(const struct shutdown *p, const struct pool *c, bool stopped)
{
	if (stopped)
		return p->patient.timeout;
	return pool_busy(c) == 0 ? nodes_moving_for(p->x->conf) :
				   clock_later(p->patient.timeout, p->x->conf->retry_for);
}

bool shutdown_over(struct shutdown *p, const struct pool *c, bool ends, bool stopped)
{
	int64_t now = clock_ms();

	/* while a command runs, its lease is the limit */
	if (!ends || !is_troubled(p->x) || pool_runs(c)) {
		p->until = 0;
		return false;
	}
	if (p->until && stopped && !p->stopped)
		p->until = clock_sooner(p->until, now + allowed(p, c, true));
	p->stopped = stopped;
	if (!p->until) {
		p->until = now + allowed(p, c, stopped);
		p->until = p->give_up_at ? clock_sooner(p->give_up_at, p->until) : p->until;
		tell(p->x, pool_busy(c), p->until - now);
	}
	if (now < p->until) {
		/* the last attempt is at the limit itself */
		p->x->session->retry_at = clock_sooner(p->x->session->retry_at, p->until);
		return false;
	}
	if (pool_busy(c) == 0 && !shutdown_gives_up(p))
		tell_end(p->x);
	p->give_up_at = p->give_up_at ? clock_sooner(p->give_up_at, now) : now;
	return true;
}

void shutdown_limit(struct shutdown *p)
{
	if (!p->give_up_at)
		p->give_up_at = clock_ms() + GIVE_UP;
}

void shutdown_end(struct shutdown *p, const struct pool *c)
{
	int64_t now = clock_ms();

	shutdown_limit(p);
	if (is_troubled(p->x) && !pool_runs(c))
		p->give_up_at = p->until = now;
	if (p->patient.meanwhile)
		p->patient.meanwhile->until = now + time_left(p, c, now);
}

bool shutdown_gives_up(const struct shutdown *p)
{
	return p->give_up_at && clock_ms() >= p->give_up_at;
}

int64_t shutdown_time(const struct shutdown *p, const struct pool *c, int64_t connect_at)
{
	int64_t at = pool_time(c, p->give_up_at ? clock_sooner(connect_at, p->give_up_at) :
						  connect_at);

	return p->until ? clock_sooner(at, p->until) : at;
}
