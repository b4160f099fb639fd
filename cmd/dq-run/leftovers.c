#include "leftovers.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tool/diag.h"

struct leftover {
	struct output out;
	int err; /* -1 = closed */
};

static void close_both(struct leftover *o)
{
	output_drop(&o->out);
	if (o->err >= 0)
		close(o->err);
	free(o);
}

/* remove_at removes the i-th one. */
static void remove_at(struct leftovers *l, int i)
{
	close_both(l->all[i]);
	for (l->count--; i < l->count; i++)
		l->all[i] = l->all[i + 1];
}

/* held returns the descriptor, or -1 if nobody writes to it and nothing is in it: then it is
 * closed. */
static int held(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	if (fd < 0 || poll(&p, 1, 0) <= 0 || p.revents & POLLIN)
		return fd;
	close(fd);
	return -1;
}

/* most: an eighth of our descriptors at most, or none would be left for commands. */
static int most(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur / 16 > LEFTOVERS_MAX ?
		       LEFTOVERS_MAX :
		       (int)(limit.rlim_cur / 16);
}

void leftovers_take(struct leftovers *l, struct child *c)
{
	int out = held(c->out.fd), err = held(c->err);
	struct leftover *o = out >= 0 || err >= 0 ? malloc(sizeof *o) : NULL;

	c->out.fd = out;
	c->err = err;
	if (!o) /* without memory child_free closes them */
		return;
	if (l->count > 0 && l->count >= most())
		remove_at(l, 0);
	output_start(&o->out, out);
	o->err = err;
	l->all[l->count++] = o;
	c->out.fd = c->err = -1;
}

nfds_t leftovers_polls(const struct leftovers *l, bool ready, struct pollfd *polls)
{
	nfds_t n = 0;

	for (int i = 0; i < l->count; i++) {
		const struct leftover *o = l->all[i];
		if (o->out.fd >= 0)
			polls[n++] = output_poll(&o->out);
		if (o->err >= 0)
			polls[n++] = (struct pollfd){.fd = ready ? o->err : STDERR_FILENO,
						     .events = ready ? POLLIN : POLLOUT};
	}
	return n;
}

void leftovers_serve(struct leftovers *l, const struct pollfd *polls)
{
	for (int i = 0; i < l->count;) {
		struct leftover *o = l->all[i];
		bool writes = o->out.fd >= 0, tells = o->err >= 0;

		if (writes && (polls++)->revents)
			output_pass(&o->out);
		if (tells && (polls++)->revents)
			child_pass(&o->err, NULL, warn_through, warn_ready);
		if (o->out.fd < 0 && o->err < 0)
			remove_at(l, i);
		else
			i++;
	}
}

void leftovers_free(struct leftovers *l)
{
	while (l->count > 0)
		remove_at(l, l->count - 1);
}
