#include "out.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
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

int out_write(const char *bytes, size_t len, struct err *e)
{
	while (len > 0) {
		ssize_t n = write(STDOUT_FILENO, bytes, len);
		if (n >= 0) {
			bytes += n;
			len -= (size_t)n;
		} else if (errno == EPIPE) {
			return reader_gone(e);
		} else if (errno == EAGAIN) {
			/* somebody made our stdout non-blocking */
			struct pollfd p = {.fd = STDOUT_FILENO, .events = POLLOUT};
			poll(&p, 1, 1000);
		} else if (errno != EINTR) {
			return err_set(e, DQ_IO, "%s", strerror(errno));
		}
		if (n < 0 && stop_signal())
			return err_set(e, DQ_STOPPED, "interrupted");
	}
	return 0;
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

	return poll(&p, 1, 0) > 0 && (p.revents & POLLERR) ? reader_gone(e) : 1;
}
