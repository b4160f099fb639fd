#define _GNU_SOURCE /* memrchr */
#include "output.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tool/out.h"

void output_start(struct output *o, int fd)
{
	o->fd = fd;
	o->over = false;
	o->left = o->len = 0;
	tail_start(&o->tail);
}

static void close_pipe(struct output *o)
{
	if (o->fd >= 0)
		close(o->fd);
	o->fd = -1;
}

/* whole returns how much of the piece to write now. A full one may end in the middle of a line
 * whose rest is in the pipe. */
static size_t whole(const struct output *o)
{
	const char *lf = o->len == OUTPUT_PIECE ? memrchr(o->piece, '\n', o->len) : NULL;

	return lf ? (size_t)(lf + 1 - o->piece) : o->len;
}

/* put: true if the piece, or its lines, are written. */
static bool put(struct output *o)
{
	size_t most = whole(o);
	ssize_t n = most ? out_some(o->piece, most) : 0;

	if (n < 0) {
		if (errno != EAGAIN && errno != EINTR)
			close_pipe(o);
		return false;
	}
	o->len -= (size_t)n;
	memmove(o->piece, o->piece + n, o->len);
	return (size_t)n == most;
}

/* get: true if something was read. */
static bool get(struct output *o)
{
	size_t room = OUTPUT_PIECE - o->len, most = o->over && o->left < room ? o->left : room;
	ssize_t n = most ? read(o->fd, o->piece + o->len, most) : 0;

	if (n > 0) {
		tail_add(&o->tail, o->piece + o->len, (size_t)n);
		o->len += (size_t)n;
		o->left -= o->over ? (size_t)n : 0;
	} else if (!o->over && !o->len && (n == 0 || (errno != EINTR && errno != EAGAIN))) {
		close_pipe(o);
	} else if (o->over) {
		o->left = 0;
	}
	return n > 0;
}

#define PIECES 64 /* at once: then others get their turn */

void output_pass(struct output *o)
{
	for (int i = 0; i < PIECES && o->fd >= 0; i++)
		if (!put(o) || !get(o))
			return;
}

bool output_end(struct output *o)
{
	int held;

	if (o->fd >= 0 && !o->over) {
		o->over = true;
		o->left = ioctl(o->fd, FIONREAD, &held) == 0 && held > 0 ? (size_t)held : 0;
	}
	output_pass(o);
	if (o->fd >= 0 && (o->len || o->left))
		return false;
	tail_end(&o->tail);
	return true;
}

void output_drop(struct output *o)
{
	close_pipe(o);
	tail_end(&o->tail);
}

struct pollfd output_poll(const struct output *o)
{
	if (o->len)
		return (struct pollfd){.fd = STDOUT_FILENO, .events = POLLOUT};
	return (struct pollfd){.fd = o->fd, .events = POLLIN};
}
