#include "tool/diag.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "base/utf8.h"

static const char *tool = "dq";

void diag_tool(const char *name)
{
	tool = name;
}

const char *diag_tool_name(void)
{
	return tool;
}

#define PIECE 4096 /* PIPE_BUF: the room that poll guarantees */
#define ERASE "\r\033[K"

static bool line_shown, line_hidden;
/* the line on the screen, after the sequence that clears the one before */
static char line_text[200];

int warn_line_possible(void)
{
	return isatty(STDERR_FILENO);
}

void warn_line_end(void)
{
	if (line_shown && write(STDERR_FILENO, ERASE, sizeof ERASE - 1) < 0)
		return; /* standard error is closed */
	line_shown = false;
}

void warn_line(const char *format, ...)
{
	size_t len = sizeof ERASE - 1;
	va_list args;

	memcpy(line_text, ERASE, len);
	va_start(args, format);
	vsnprintf(line_text + len, sizeof line_text - len, format, args);
	va_end(args);
	line_shown = write(STDERR_FILENO, line_text, strlen(line_text)) > 0;
}

void warn_line_hide(void)
{
	line_hidden = line_shown && isatty(STDOUT_FILENO);
	if (line_hidden)
		warn_line_end();
}

void warn_line_show(void)
{
	if (line_hidden)
		line_shown = write(STDERR_FILENO, line_text, strlen(line_text)) > 0;
	line_hidden = false;
}

static int write_wait = -1; /* ms; -1: wait forever */
static bool stuck;        /* no reader: do not wait again until it is writable */
static size_t dropped;    /* lines and pieces dropped since */

void warn_write_wait(int ms)
{
	write_wait = ms;
}

static bool writable(int ms)
{
	struct pollfd p = {.fd = STDERR_FILENO, .events = POLLOUT};

	return poll(&p, 1, ms) != 0; /* the write finds the error */
}

bool warn_ready(void)
{
	return write_wait < 0 || writable(0);
}

/* may_write returns false if the text must be dropped. */
static bool may_write(void)
{
	if (write_wait < 0)
		return true;
	stuck = !writable(stuck ? 0 : write_wait);
	dropped += stuck;
	return !stuck;
}

static void tell_dropped(void)
{
	char line[100];
	int len = snprintf(line, sizeof line,
			   "%s: standard error was not read: %zu writes were dropped\n", tool,
			   dropped);

	if (write(STDERR_FILENO, line, (size_t)len) > 0)
		dropped = 0;
}

/* One write for each line, so that lines of several processes do not mix. Foreign bytes that a
 * caller has not escaped are escaped here. */
void vwarn(const char *format, va_list args)
{
	char raw[1400], line[1400];
	size_t len = (size_t)snprintf(line, sizeof line, "%s: ", tool);
	int wanted;

	if (!may_write())
		return;
	if (dropped)
		tell_dropped();
	warn_line_end();
	wanted = vsnprintf(raw, sizeof raw, format, args);
	text_harmless(line + len, sizeof line - len - 1, raw,
		      utf8_cut(raw, wanted > 0 ? (size_t)wanted : 0, sizeof raw - 1));
	len = strlen(line);
	line[len++] = '\n';
	if (write(STDERR_FILENO, line, len) < 0)
		return; /* standard error is closed */
}

void warn(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vwarn(format, args);
	va_end(args);
}

void warn_through(const char *bytes, size_t len)
{
	while (len > 0 && may_write()) {
		ssize_t n = write(STDERR_FILENO, bytes, len < PIECE ? len : PIECE);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return;
		bytes += n;
		len -= (size_t)n;
	}
}
