#include "pool.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "tool/diag.h"
#include "verdict.h"

int pool_init(struct pool *c, int jobs, int64_t kill_after)
{
	c->count = jobs;
	c->jobs = calloc((size_t)jobs, sizeof *c->jobs);
	for (int i = 0; i < jobs && c->jobs; i++)
		c->jobs[i].kill_after = kill_after;
	return c->jobs ? 0 : -1;
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

int pool_runs(const struct pool *c)
{
	int n = 0;

	for (int i = 0; i < c->count; i++)
		n += runs(&c->jobs[i]);
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
	int n = 0;

	for (int i = 0; i < c->count; i++)
		n += c->jobs[i].state == JOB_FREE || c->jobs[i].state == JOB_SETTLING;
	return n;
}

bool pool_settle(struct pool *c, struct session *l, const struct wait *wait)
{
	bool unconfirmed = false;
	int sent = 0;

	for (int i = 0; i < c->count; i++) {
		struct job *s = &c->jobs[i];
		if (s->state != JOB_ENDED)
			continue;
		verdict_settle(s, l, wait);
		unconfirmed = unconfirmed || s->unconfirmed;
		sent += s->state == JOB_SETTLING;
		if (sent < VERDICTS_MAX && s->state != JOB_ENDED)
			continue;
		pool_receive(c, l, wait); /* after a failed settle the next one may open a new connection, which has no calls in flight */
		sent = 0;
	}
	return unconfirmed;
}

void pool_receive(struct pool *c, struct session *l, const struct wait *wait)
{
	for (int i = 0; i < c->count; i++)
		if (c->jobs[i].state == JOB_SETTLING)
			verdict_receive(&c->jobs[i], l, wait);
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
		int64_t end = s->state == JOB_RUNNING ? s->lease_end : s->state == JOB_ENDING ? s->kill_at : INT64_MAX;
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
	for (int i = 0; i < c->count; i++)
		if (c->jobs[i].state == JOB_RUNNING)
			job_end(&c->jobs[i]);
}

nfds_t pool_polls(const struct pool *c, struct pollfd *polls)
{
	/* While standard error is full, output stays in the pipe of the command, which waits, too. */
	const struct pollfd blocked = {.fd = STDERR_FILENO, .events = POLLOUT};
	bool ready = warn_ready();
	nfds_t n = 0;

	for (int i = 0; i < c->count; i++) {
		const struct child *child = &c->jobs[i].child;
		if (!runs(&c->jobs[i]))
			continue;
		if (child->in >= 0)
			polls[n++] = (struct pollfd){.fd = child->in, .events = POLLOUT};
		if (child->err >= 0)
			polls[n++] = ready ? (struct pollfd){.fd = child->err, .events = POLLIN} : blocked;
	}
	return n;
}

void pool_serve(struct pool *c, const struct pollfd *polls)
{
	for (int i = 0; i < c->count; i++) {
		struct child *child = &c->jobs[i].child;
		if (!runs(&c->jobs[i]))
			continue;
		bool feeds = child->in >= 0, tells = child->err >= 0; /* as when the pipes were listed */
		if (feeds && (polls++)->revents)
			child_feed(child);
		if (tells && (polls++)->revents)
			child_drain(child, warn_through, warn_ready);
	}
}
