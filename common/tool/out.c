#include "tool/out.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "tool/diag.h"
#include "tool/given.h"
#include "tool/stop.h"

static struct buf gathered;
static bool short_of_memory;
static size_t unawaited; /* bytes written since all were read */

static int reader_gone(struct err *e)
{
	if (given_pipe_ignored())
		return err_set(e, DQ_IO, "%s", strerror(EPIPE));
	stop_note(SIGPIPE);
	return err_set(e, DQ_STOPPED, "the reader is gone");
}

enum kind { A_FILE = 1, A_PIPE, A_SOCKET, ANOTHER };

/* the number of the devices /dev/null and /dev/full of Linux: they are like files */
#define MEMORY 1

/* kind returns what standard output is, and checks once.
 * Only a write to a file never waits for a reader. */
static enum kind kind(void)
{
	static enum kind known;
	socklen_t len = sizeof(int);
	struct stat st;
	int type;

	if (known)
		return known;
	known = ANOTHER;
	if (fstat(STDOUT_FILENO, &st) < 0 || S_ISREG(st.st_mode) ||
	    (S_ISCHR(st.st_mode) && major(st.st_rdev) == MEMORY))
		known = A_FILE;
	else if (S_ISFIFO(st.st_mode))
		known = A_PIPE;
	else if (S_ISSOCK(st.st_mode) &&
		 getsockopt(STDOUT_FILENO, SOL_SOCKET, SO_TYPE, &type, &len) == 0 &&
		 type == SOCK_STREAM)
		known = A_SOCKET;
	return known;
}

/* A write that follows does not wait, so no signal can come between this check and a write
 * that waits forever. */
int out_room(int64_t until_us, struct err *e)
{
	struct pollfd p[2] = {{.fd = STDOUT_FILENO, .events = POLLOUT},
			      {.fd = stop_fd(), .events = POLLIN}};
	int n;

	if (kind() == A_FILE)
		return 1;
	while ((n = clock_poll(p, 2, until_us)) < 0 && errno == EINTR)
		;
	if (n > 0 && p[0].revents == 0)
		return err_set(e, DQ_STOPPED, "interrupted");
	return n != 0;
}

/* room is out_room for what is to be written by then. */
static int room(int64_t until_us, struct err *e)
{
	int has = out_room(until_us, e);

	return has == 0 ? err_set(e, DQ_TEMPORARY, "the output has no room") : has;
}

enum { FEW = 8 };

/* own_pipe opens standard output, a pipe, once more, so that a write writes as much as fits and
 * never waits. On the given description O_NONBLOCK would affect all processes that share it.
 * Counting the room does not help: pipes have it by the page, and other writers take it. It
 * opens the pipe at the first long write, or after FEW short ones, because a poll before each
 * short write would cost more. -1: the pipe is not open, or cannot be opened (no /proc, a pipe
 * of another user). */
static int own_pipe(size_t len)
{
	static int fd = -1, writes;
	static bool tried;
	int flags;

	if (kind() != A_PIPE)
		return -1;
	if (!tried && (len > PIPE_BUF || ++writes > FEW)) {
		tried = true;
		flags = fcntl(STDOUT_FILENO, F_GETFL);
		fd = flags < 0 ? -1 : open("/proc/self/fd/1", flags | O_NONBLOCK | O_CLOEXEC);
	}
	return fd;
}

/* write_part writes as much as fits, and never waits: a writable pipe takes PIPE_BUF bytes
 * in one piece. */
static ssize_t write_part(int own, const char *bytes, size_t len)
{
	if (kind() == A_SOCKET)
		return send(STDOUT_FILENO, bytes, len, MSG_DONTWAIT);
	if (own >= 0)
		return write(own, bytes, len);
	return write(STDOUT_FILENO, bytes, kind() == A_FILE || len < PIPE_BUF ? len : PIPE_BUF);
}

int out_write_by(int64_t until_us, const char *bytes, size_t len, size_t *done, struct err *e)
{
	const int own = own_pipe(len);
	/* else the write itself reports that there is no room */
	bool look = kind() == ANOTHER || (kind() == A_PIPE && own < 0);

	*done = 0;
	warn_line_hide();
	while (len > 0) {
		ssize_t n;
		if (look && room(until_us, e) < 0)
			return -1;
		n = write_part(own, bytes, len);
		look = kind() != A_FILE;
		if (n >= 0) {
			bytes += n;
			len -= (size_t)n;
			*done += (size_t)n;
			unawaited += (size_t)n;
		} else if (errno == EPIPE) {
			return reader_gone(e);
		} else if (errno != EINTR && errno != EAGAIN) {
			return err_set(e, DQ_IO, "%s", strerror(errno));
		}
	}
	warn_line_show();
	return 0;
}

ssize_t out_some(const char *bytes, size_t len)
{
	/* another writer may take the room between a check and a write */
	const int own = own_pipe(PIPE_BUF + 1);
	struct err e;

	if ((kind() == ANOTHER || (kind() == A_PIPE && own < 0)) && out_room(0, &e) <= 0) {
		errno = EAGAIN;
		return -1;
	}
	return write_part(own, bytes, len);
}

int out_write(const char *bytes, size_t len, struct err *e)
{
	size_t done;

	return out_write_by(-1, bytes, len, &done, e);
}

void out_format(const char *format, ...)
{
	char line[1200];
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(line, sizeof line, format, args);
	va_end(args);
	if (len < 0 || (size_t)len >= sizeof line || buf_add(&gathered, line, (size_t)len) < 0)
		short_of_memory = true;
}

int out_flush(struct err *e)
{
	int status = out_write(gathered.bytes, gathered.len, e);

	buf_free(&gathered);
	if (status == 0 && short_of_memory)
		status = err_memory(e);
	short_of_memory = false;
	return status;
}

size_t out_gathered(void)
{
	return gathered.len;
}

enum status out_failed(const struct err *e)
{
	if (e->status != DQ_STOPPED)
		warn("standard output: %s", e->text);
	return e->status;
}

int out_check(struct err *e)
{
	struct pollfd p = {.fd = STDOUT_FILENO, .events = 0};

	return poll(&p, 1, 0) > 0 && (p.revents & (POLLERR | POLLHUP | POLLNVAL)) ? reader_gone(e) :
										    1;
}

bool out_has_reader(void)
{
	int domain;
	socklen_t len = sizeof domain;

	return kind() == A_PIPE ||
	       (kind() == A_SOCKET &&
		getsockopt(STDOUT_FILENO, SOL_SOCKET, SO_DOMAIN, &domain, &len) == 0 &&
		domain == AF_UNIX);
}

/* unread: bytes in the pipe or the socket, of all writers.
 * For a socket it is what they take in memory. */
static int unread(void)
{
	int bytes;

	return ioctl(STDOUT_FILENO, kind() == A_PIPE ? FIONREAD : TIOCOUTQ, &bytes) == 0 ? bytes :
											   0;
}

/* kept_full: do others keep the pipe full? Then one cannot see how much is read. */
static bool kept_full(int bytes)
{
	struct pollfd p = {.fd = STDOUT_FILENO, .events = POLLOUT};

	return kind() == A_PIPE && (size_t)bytes > unawaited && poll(&p, 1, 0) == 0;
}

#define AT_ONCE_US 100      /* for so long it only yields, because a reader that waits comes soon */
#define SELDOM_US 5000      /* between two looks at most, while a later look would make
                             * a reader slower */
#define SELDOMEST_US 50000  /* with a reader that works for seconds */
#define PATIENCE_US 1000000 /* with a pipe that others keep full */

/* pause_us: between two looks, for a reader that has worked for `waited` us. It loses an eighth of
 * its time at most, later a fiftieth. */
static int64_t pause_us(int64_t waited)
{
	int64_t soon = clock_sooner(waited / 8, SELDOM_US),
		late = clock_sooner(waited / 50, SELDOMEST_US);

	return soon > late ? soon : late;
}

enum look { LOOK = 1, ROOM = 2 };

/* look_again waits for the next look, `waited` us after the first. blind: until there is room,
 * which is ROOM. Returns as out_await, LOOK: look. */
static int look_again(bool blind, int64_t now, int64_t waited, int64_t until_us, struct err *e)
{
	struct pollfd p[2] = {{.fd = STDOUT_FILENO, .events = blind ? POLLOUT : 0},
			      {.fd = stop_fd(), .events = POLLIN}};
	int64_t next = now + pause_us(waited);

	if (until_us >= 0 && now >= until_us)
		return 0;
	if (waited < AT_ONCE_US) {
		sched_yield();
		return LOOK;
	}
	if (clock_poll(p, 2, until_us >= 0 ? clock_sooner(next, until_us) : next) <= 0)
		return LOOK;
	if (p[1].revents)
		return err_set(e, DQ_STOPPED, "interrupted");
	if (p[0].revents & (POLLERR | POLLHUP | POLLNVAL))
		return reader_gone(e);
	return p[0].revents ? ROOM : LOOK;
}

int out_await(int64_t until_us, struct err *e)
{
	/* left: up to the end of ours */
	int before = out_has_reader() ? unread() : 0, left = before;
	int64_t began = left > 0 ? clock_us() : 0, now = began;
	bool blind = false; /* others keep the pipe full */
	int status = LOOK;

	while (left > 0 && (status = look_again(blind, now, now - began, until_us, e)) == LOOK) {
		int bytes = unread();
		left = bytes == 0 ? 0 : bytes < before ? left - (before - bytes) : left;
		before = bytes;
		now = clock_us();
		blind = blind || (left > 0 && now - began >= PATIENCE_US && kept_full(bytes));
	}
	if (status <= 0)
		return status;
	unawaited = 0;
	return 1;
}
