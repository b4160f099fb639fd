#include "crew.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "tool/diag.h"

int crew_init(struct crew *c, int jobs, int64_t kill_after)
{
	c->jobs = jobs;
	c->slots = calloc((size_t)jobs, sizeof *c->slots);
	for (int i = 0; i < jobs && c->slots; i++)
		c->slots[i].kill_after = kill_after;
	return c->slots ? 0 : -1;
}

void crew_free(struct crew *c)
{
	free(c->slots);
	c->slots = NULL;
}

static bool runs(const struct slot *s)
{
	return s->state == SLOT_RUNNING || s->state == SLOT_ENDING;
}

int crew_runs(const struct crew *c)
{
	int n = 0;

	for (int i = 0; i < c->jobs; i++)
		n += runs(&c->slots[i]);
	return n;
}

int crew_busy(const struct crew *c)
{
	int n = 0;

	for (int i = 0; i < c->jobs; i++)
		n += c->slots[i].state != SLOT_FREE;
	return n;
}

struct slot *crew_slot(struct crew *c)
{
	for (int i = 0; i < c->jobs; i++)
		if (c->slots[i].state == SLOT_FREE)
			return &c->slots[i];
	return NULL;
}

int64_t crew_time(const struct crew *c, int64_t connect_at)
{
	int64_t first = INT64_MAX;

	for (int i = 0; i < c->jobs; i++) {
		const struct slot *s = &c->slots[i];
		int64_t at = s->state == SLOT_ENDED ? connect_at : slot_time(s);
		first = at < first ? at : first;
	}
	return first;
}

int64_t crew_hurry(const struct crew *c)
{
	int64_t now = clock_ms(), left = INT64_MAX;

	for (int i = 0; i < c->jobs; i++) {
		const struct slot *s = &c->slots[i];
		int64_t end = s->state == SLOT_RUNNING ? s->lease_end : s->state == SLOT_ENDING ? s->kill_at : INT64_MAX;
		if (end != INT64_MAX && end - now < left)
			left = end - now;
	}
	return left;
}

/* owner: the command with that pid, or NULL: an orphan that something left behind. */
static struct child *owner(const struct crew *c, pid_t pid)
{
	for (int i = 0; i < c->jobs; i++)
		if (runs(&c->slots[i]) && c->slots[i].child.pid == pid)
			return &c->slots[i].child;
	return NULL;
}

void crew_gather(struct crew *c)
{
	struct child *child;
	int status;
	pid_t pid;

	while ((pid = child_gather(&status)) > 0)
		if ((child = owner(c, pid)))
			child_ended(child, status);
	for (int i = 0; i < c->jobs && pid < 0; i++)
		if (runs(&c->slots[i]) && c->slots[i].child.pid)
			child_unknown(&c->slots[i].child);
}

void crew_end(struct crew *c)
{
	for (int i = 0; i < c->jobs; i++)
		if (c->slots[i].state == SLOT_RUNNING)
			slot_end(&c->slots[i]);
}

nfds_t crew_polls(const struct crew *c, struct pollfd *polls)
{
	/* what nobody takes from us stays with the command, which waits, too */
	const struct pollfd blocked = {.fd = STDERR_FILENO, .events = POLLOUT};
	bool ready = warn_ready();
	nfds_t n = 0;

	for (int i = 0; i < c->jobs; i++) {
		const struct child *child = &c->slots[i].child;
		if (!runs(&c->slots[i]))
			continue;
		if (child->in >= 0)
			polls[n++] = (struct pollfd){.fd = child->in, .events = POLLOUT};
		if (child->err >= 0)
			polls[n++] = ready ? (struct pollfd){.fd = child->err, .events = POLLIN} : blocked;
	}
	return n;
}

void crew_serve(struct crew *c, const struct pollfd *polls)
{
	for (int i = 0; i < c->jobs; i++) {
		struct child *child = &c->slots[i].child;
		if (!runs(&c->slots[i]))
			continue;
		bool feeds = child->in >= 0, tells = child->err >= 0; /* as when they were listed */
		if (feeds && (polls++)->revents)
			child_feed(child);
		if (tells && (polls++)->revents)
			child_drain(child, warn_through, warn_ready);
	}
}
