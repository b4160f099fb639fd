#include "tool/input.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "redis/sock.h"

#define READ_SIZE 65536
#define FEW 8 /* records of one read */

void input_init(struct input *in, int fd, int stop_fd, int delimiter, size_t limit)
{
	struct stat st;

	memset(in, 0, sizeof *in);
	in->fd = fd;
	in->file = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
	in->stop_fd = stop_fd;
	in->delimiter = delimiter;
	in->limit = limit;
}

/* find_delimiter scans every byte once, however often it is called: a slow producer must not
 * make it quadratic. */
static bool find_delimiter(struct input *in)
{
	size_t rest = in->buf.len - in->start - in->scanned;
	const char *from, *at;

	if (rest == 0 || in->delimiter < 0) {
		in->scanned += rest;
		return false;
	}
	from = in->buf.bytes + in->start + in->scanned;
	at = memchr(from, in->delimiter, rest);
	if (at == NULL) {
		in->scanned += rest;
		return false;
	}
	in->scanned += (size_t)(at - from);
	return true;
}

/* take: the record is the scanned bytes; `after` more belong to it (its delimiter). */
static enum input_got take(struct input *in, size_t after, char **record, size_t *len)
{
	bool too_long = in->skipping || in->scanned > in->limit;

	*record = in->buf.bytes + in->start;
	*len = in->scanned;
	in->start += in->scanned + after;
	in->taken++;
	in->scanned = 0;
	in->skipping = false;
	return too_long ? INPUT_TOO_LONG : INPUT_RECORD;
}

static enum input_got take_last(struct input *in, char **record, size_t *len)
{
	bool whole = in->delimiter < 0;

	if (in->finished || (in->scanned == 0 && !in->skipping && !whole))
		return INPUT_END;
	in->finished = true;
	return take(in, 0, record, len);
}

/* forget drops the bytes of a record that is already too long, and those of earlier records. */
static void forget(struct input *in)
{
	if (in->scanned > in->limit)
		in->skipping = true;
	if (in->skipping) {
		in->start += in->scanned;
		in->scanned = 0;
	}
	if (in->start > 0) /* buf_drop moves the rest even if it drops 0 bytes */
		buf_drop(&in->buf, in->start);
	in->start = 0;
}

/* fill reads what there is, after a wait for it, unless it is known to be readable. */
static int fill(struct input *in, bool readable, struct err *e)
{
	ssize_t n;

	forget(in);
	if (buf_reserve(&in->buf, READ_SIZE) < 0)
		return err_memory(e);
	for (;; readable = false) {
		if (!readable && in->fd >= 0 && sock_wait(in->fd, POLLIN, -1, in->stop_fd, e) < 0)
			return -1;
		n = read(in->fd, in->buf.bytes + in->buf.len, READ_SIZE);
		if (n >= 0)
			break;
		if (errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK)
			return err_set(e, DQ_IO, "cannot read: %s", strerror(errno));
	}
	in->buf.len += (size_t)n;
	in->ended = n == 0;
	in->drained = n < READ_SIZE;
	in->taken = 0;
	return 0;
}

/* fill_or_fail fails again until input_next has reported the failure: a socket reports it only
 * once, and then the end of the stream. */
static int fill_or_fail(struct input *in, bool readable)
{
	return in->failure.status == DQ_DONE ? fill(in, readable, &in->failure) : -1;
}

enum input_got input_next(struct input *in, char **record, size_t *len, struct err *e)
{
	while (!find_delimiter(in)) {
		if (in->ended)
			return take_last(in, record, len);
		if (fill_or_fail(in, false) < 0) {
			*e = in->failure;
			in->failure.status = DQ_DONE; /* after a stop one may go on */
			return INPUT_ERROR;
		}
	}
	return take(in, 1, record, len);
}

bool input_waits(struct input *in)
{
	struct pollfd p = { .fd = in->fd, .events = POLLIN };
	int n;

	while (!in->ended && in->fd >= 0 && !in->file && !find_delimiter(in)) {
		if (in->taken > 0 && in->taken <= FEW && in->drained && in->start == in->buf.len)
			return true;
		do {
			n = poll(&p, 1, 0);
		} while (n < 0 && errno == EINTR);
		if (n == 0)
			return true;
		if (n < 0 || fill_or_fail(in, true) < 0)
			return false; /* input_next reports it */
	}
	return false;
}

/* read_ahead: fd is readable. */
static void read_ahead(struct meanwhile *m)
{
	struct input *in = m->ctx;

	if (fill_or_fail(in, true) < 0 || in->ended || in->buf.len - in->start >= INPUT_AHEAD)
		m->fd = -1;
}

int input_idle(struct input *in,
	       int (*before_wait)(void *ctx, struct meanwhile *meanwhile, int64_t *until),
	       void *ctx)
{
	struct meanwhile meanwhile = {.ready = read_ahead, .ctx = in};
	struct err stopped; /* input_next reports it */
	int64_t until;
	int ready;

	while (input_waits(in)) {
		until = -1;
		meanwhile.fd = in->buf.len - in->start < INPUT_AHEAD ? in->fd : -1;
		if (before_wait(ctx, &meanwhile, &until) < 0)
			return -1;
		if (until < 0 ||
		    (ready = sock_wait(in->fd, POLLIN, until, in->stop_fd, &stopped)) < 0)
			return 0;
		if (ready > 0 && fill_or_fail(in, true) < 0)
			return 0;
	}
	return 0;
}

void input_free(struct input *in)
{
	buf_free(&in->buf);
	in->start = 0;
	in->scanned = 0;
}
