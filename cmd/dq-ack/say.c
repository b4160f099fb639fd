#include "say.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "tool/stop.h"

/* room waits until the pipe takes a line, or a signal comes. It may be non-blocking: a program that
 * shares it may have made it so. */
static bool room(int fd)
{
	struct pollfd polls[] = {{.fd = fd, .events = POLLOUT},
				 {.fd = stop_fd(), .events = POLLIN}};

	return (errno == EINTR ||
		(errno == EAGAIN && (clock_poll(polls, 2, -1) > 0 || errno == EINTR))) &&
	       !stop_signal();
}

static int write_line(int fd, const struct buf *line, struct err *e)
{
	ssize_t n;

	do /* as a whole or not at all: a pipe does not divide so little */
		n = write(fd, line->bytes, line->len);
	while (n < 0 && room(fd));
	if (n >= 0)
		return 0;
	return errno == EPIPE ? err_set(e, DQ_NO, "its command has ended") :
				err_set(e, DQ_IO, "descriptor %d: %s", SAID_FD, strerror(errno));
}

int say_line(int fd, enum settle_verb verb, const char *amount, const char *reason, struct err *e)
{
	struct buf line = {0};
	struct said said;
	int status;

	if (said_format(&line, verb, amount, reason) < 0) {
		status = err_memory(e);
	} else if (said_parse(line.bytes, line.len - 1, &said, e) < 0) {
		e->status = DQ_USAGE;
		status = -1;
	} else {
		status = write_line(fd, &line, e);
	}
	buf_free(&line);
	return status;
}
