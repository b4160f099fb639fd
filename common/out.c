#include "out.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buf.h"
#include "stop.h"

static struct buf gathered;
static bool short_of_memory;

static int reader_gone(struct err *e)
{
	if (stop_pipe_ignored())
		return err_set(e, DQ_IO, "%s", strerror(EPIPE));
	stop_note(SIGPIPE);
	return err_set(e, DQ_STOPPED, "the reader is gone");
}

/* room waits until a write of the result's size will not block, so that no signal can come between the look for it and a write
 * that waits for ever. Pipes take PIPE_BUF bytes once they are writable. -1: stopped first. */
static ssize_t room(size_t len, struct err *e)
{
	struct pollfd p[2] = {{.fd = STDOUT_FILENO, .events = POLLOUT}, {.fd = stop_fd(), .events = POLLIN}};

	while (poll(p, 2, -1) < 0 && errno == EINTR)
		;
	if (p[0].revents == 0 && p[1].revents != 0)
		return err_set(e, DQ_STOPPED, "interrupted");
	return (ssize_t)(len < PIPE_BUF ? len : PIPE_BUF);
}

/* is_pipe: can a write wait for a reader? (A file's cannot.) Asked once. */
static bool is_pipe(void)
{
	static int known = -1;
	struct stat st;

	if (known < 0)
		known = fstat(STDOUT_FILENO, &st) == 0 && !S_ISREG(st.st_mode);
	return known;
}

int out_write_some(const char *bytes, size_t len, size_t *done, struct err *e)
{
	*done = 0;
	while (len > 0) {
		ssize_t n = is_pipe() ? room(len, e) : (ssize_t)len;
		if (n < 0)
			return -1;
		n = write(STDOUT_FILENO, bytes, (size_t)n);
		if (n >= 0) {
			bytes += n;
			len -= (size_t)n;
			*done += (size_t)n;
		} else if (errno == EPIPE) {
			return reader_gone(e);
		} else if (errno != EINTR && errno != EAGAIN) {
			return err_set(e, DQ_IO, "%s", strerror(errno));
		}
	}
	return 0;
}

int out_write(const char *bytes, size_t len, struct err *e)
{
	size_t done;

	return out_write_some(bytes, len, &done, e);
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

int out_check(struct err *e)
{
	struct pollfd p = {.fd = STDOUT_FILENO, .events = 0};

	return poll(&p, 1, 0) > 0 && (p.revents & (POLLERR | POLLHUP | POLLNVAL)) ? reader_gone(e) : 1;
}
