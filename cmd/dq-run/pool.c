#include "pool.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "redis/exchange.h"
#include "tool/diag.h"
#include "verdict.h"

#define SPARE 16 /* for a worker of one or a few commands at once: as many nodes may be lost */

/* use: so many jobs are in use. A job is large, and most workers need none of the further ones: so
 * each is cleared only now. */
static void use(struct pool *c, int count)
{
	for (; c->count < count; c->count++)
		job_clear(&c->jobs[c->count], c->kill_after);
}

int pool_init(struct pool *c, int most, int64_t kill_after)
{
	*c = (struct pool){.most = most, .room = 2 * most + SPARE, .kill_after = kill_after};
	c->jobs = malloc((size_t)c->room * sizeof *c->jobs);
	if (!c->jobs)
		return -1;
	use(c, most);
	return 0;
}

void pool_free(struct pool *c)
{
	free(c->jobs);
	c->jobs = NULL;
}

static bool runs(const struct job *s)
{
	return s->state == JOB_RUNNING || s->state == JOB_ENDING;
}

/* works: its process has not been gathered, or others of its group are being ended. */
static bool works(const struct job *s)
{
	return s->state == JOB_ENDING || (s->state == JOB_RUNNING && s->child.pid);
}

int pool_runs(const struct pool *c)
{
	int n = 0;

	for (int i = 0; i < c->count; i++)
		n += runs(&c->jobs[i]);
	return n;
}

int pool_works(const struct pool *c)
{
	int n = 0;

	for (int i = 0; i < c->count; i++)
		n += works(&c->jobs[i]);
	return n;
}

int pool_busy(const struct pool *c)
{
	int n = 0;

	for (int i = 0; i < c->count; i++)
		n += c->jobs[i].state != JOB_FREE;
	return n;
}

int pool_free_soon(const struct pool *c)
{
	int unused = 0, left = c->most;

	for (int i = 0; i < c->count; i++) {
		const struct job *s = &c->jobs[i];
		bool soon = s->state == JOB_FREE || s->state == JOB_SETTLING;
		unused += soon;
		left -= !soon && !(s->state == JOB_ENDED && s->waits);
	}
	return left < 0 ? 0 : unused < left ? unused : left;
}

/* make_places: as many more jobs are in use as verdicts wait. */
static void make_places(struct pool *c)
{
	int wanted = c->most;

	for (int i = 0; i < c->count; i++)
		wanted += c->jobs[i].state == JOB_ENDED && c->jobs[i].waits;
	use(c, wanted < c->room ? wanted : c->room);
}

void pool_tend(struct pool *c, struct exchange *x, const struct wait *wait)
{
	for (int i = 0; i < c->count; i++)
		job_tend(&c->jobs[i], x, wait);
}

void pool_settle(struct pool *c, struct exchange *x, const struct wait *wait)
{
	for (int i = 0; i < c->count; i++)
		if (c->jobs[i].state == JOB_ENDED)
			verdict_settle(&c->jobs[i], x, wait);
}

void pool_hear(struct pool *c, struct exchange *x, const struct wait *wait)
{
	struct wait by = verdict_wait(x, wait);
	struct err e;

	for (int i = 0; i < c->count; i++)
		if (c->jobs[i].state == JOB_SETTLING &&
		    exchange_wait(&c->jobs[i].settling.call, &by, &e) == 0)
			c->unconfirmed |= verdict_receive(&c->jobs[i], x, wait);
}

void pool_receive(struct pool *c, struct exchange *x, const struct wait *wait)
{
	pool_hear(c, x, wait); /* a failure may close the connection: first all others */
	for (int i = 0; i < c->count; i++)
		if (c->jobs[i].state == JOB_SETTLING)
			c->unconfirmed |= verdict_receive(&c->jobs[i], x, wait);
	make_places(c);
}

struct job *pool_free_job(struct pool *c)
{
	for (int i = 0; i < c->count; i++)
		if (c->jobs[i].state == JOB_FREE)
			return &c->jobs[i];
	return NULL;
}

int64_t pool_time(const struct pool *c, int64_t connect_at)
{
	int64_t first = INT64_MAX;

	for (int i = 0; i < c->count; i++) {
		const struct job *s = &c->jobs[i];
		int64_t at = s->state == JOB_ENDED ? connect_at : job_time(s);
		first = at < first ? at : first;
	}
	return first;
}

int64_t pool_hurry(const struct pool *c)
{
	int64_t now = clock_ms(), left = INT64_MAX;

	for (int i = 0; i < c->count; i++) {
		const struct job *s = &c->jobs[i];
		int64_t end = s->state == JOB_RUNNING ? s->lease_end :
			      s->state == JOB_ENDING  ? s->kill_at :
							INT64_MAX;
		if (end != INT64_MAX && end - now < left)
			left = end - now;
	}
	return left;
}

/* owner returns the command with that pid, or NULL for an orphan of a command. */
static struct child *owner(const struct pool *c, pid_t pid)
{
	for (int i = 0; i < c->count; i++)
		if (runs(&c->jobs[i]) && c->jobs[i].child.pid == pid)
			return &c->jobs[i].child;
	return NULL;
}

void pool_gather(struct pool *c)
{
	struct child *child;
	int status;
	pid_t pid;

	while ((pid = child_gather(&status)) > 0)
		if ((child = owner(c, pid)))
			child_ended(child, status);
	for (int i = 0; i < c->count && pid < 0; i++)
		if (runs(&c->jobs[i]) && c->jobs[i].child.pid)
			child_unknown(&c->jobs[i].child);
}

void pool_end(struct pool *c)
{
	for (int i = 0; i < c->count; i++) {
		struct job *s = &c->jobs[i];
		if (s->state == JOB_RUNNING && works(s))
			job_end(s);
		else if (s->state == JOB_RUNNING)
			/* it has ended, and only our reader is missing */
			output_drop(&s->child.out);
	}
}

nfds_t pool_polls(const struct pool *c, struct pollfd *polls)
{
	/* While standard error is full, output stays in the pipe of the command, which waits,
	 * too. */
	const struct pollfd blocked = {.fd = STDERR_FILENO, .events = POLLOUT};
	bool ready = warn_ready();
	nfds_t n = 0;

	for (int i = 0; i < c->count; i++) {
		const struct child *child = &c->jobs[i].child;
		if (!runs(&c->jobs[i]))
			continue;
		if (child->payload.pipe >= 0)
			polls[n++] = (struct pollfd){.fd = child->payload.pipe, .events = POLLOUT};
		if (child->says.fd >= 0)
			polls[n++] = (struct pollfd){.fd = child->says.fd, .events = POLLIN};
		if (child->out.fd >= 0)
			polls[n++] = output_poll(&child->out);
		if (child->err >= 0)
			polls[n++] = ready ? (struct pollfd){.fd = child->err, .events = POLLIN} :
					     blocked;
	}
	return n;
}

void pool_serve(struct pool *c, const struct pollfd *polls)
{
	for (int i = 0; i < c->count; i++) {
		struct child *child = &c->jobs[i].child;
		if (!runs(&c->jobs[i]))
			continue;
		/* as when the pipes were listed */
		bool feeds = child->payload.pipe >= 0, says = child->says.fd >= 0,
		     writes = child->out.fd >= 0, tells = child->err >= 0;
		if (feeds && (polls++)->revents)
			payload_feed(&child->payload);
		if (says && (polls++)->revents)
			says_drain(&child->says);
		if (writes && (polls++)->revents)
			output_pass(&child->out);
		if (tells && (polls++)->revents)
			child_drain(child, warn_through, warn_ready);
	}
}
