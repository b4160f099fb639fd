#include "tool/ask_user.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "redis/sock.h"
#include "tool/diag.h"

int ask_user_possible(void)
{
	return isatty(STDIN_FILENO);
}

__attribute__((format(printf, 1, 0))) static void prompt(const char *format, va_list args)
{
	char line[400];
	size_t len = (size_t)snprintf(line, sizeof line, "%s: ", diag_tool_name());

	vsnprintf(line + len, sizeof line - len, format, args);
	if (write(STDERR_FILENO, line, strlen(line)) < 0)
		return; /* the user's reply counts all the same */
}

/* read_byte returns 1, 0 at the end, -1 after a signal. It reads byte by byte, because the next
 * line is for the next question. */
static int read_byte(int stop_fd, char *c)
{
	struct err e;
	ssize_t n;

	do {
		if (sock_wait(STDIN_FILENO, POLLIN, -1, stop_fd, &e) < 0)
			return e.status == DQ_STOPPED ? -1 : 0;
		n = read(STDIN_FILENO, c, 1);
	} while (n < 0 && (errno == EINTR || errno == EAGAIN));
	return n > 0;
}

int ask_user_yes(int stop_fd, const char *format, ...)
{
	char first = 0, c = 0;
	va_list args;
	int got;

	va_start(args, format);
	prompt(format, args);
	va_end(args);
	while ((got = read_byte(stop_fd, &c)) > 0 && c != '\n')
		if (!first)
			first = c;
	return got < 0 ? -1 : got > 0 && (first == 'y' || first == 'Y');
}
