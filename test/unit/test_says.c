#define _GNU_SOURCE /* pipe2 */
#include "dq-run/says.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "message/said_pipe.h"
#include "unit.h"

static struct says s;
static int out;

static void begin(void)
{
	int fds[2];

	if (pipe2(fds, O_NONBLOCK) < 0)
		exit(1);
	says_start(&s, fds[0]);
	out = fds[1];
}

static void say(const char *text, size_t len)
{
	check_int(write(out, text, len), (ssize_t)len);
	says_drain(&s);
}

static void end(const char *last, size_t len)
{
	says_end(&s);
	check_int(s.any, true);
	check_bytes(s.last, s.last_len, last, len);
	check_int(write(out, "x", 1), -1);
	check_int(errno, EPIPE);
	close(out);
	says_end(&s); /* again: nothing changes */
	check_bytes(s.last, s.last_len, last, len);
}

static void pieces(void)
{
	begin();
	say("bury one\ngive", 13);
	check_bytes(s.last, s.last_len, "bury one", 8);
	say("-back", 5);
	check_bytes(s.last, s.last_len, "bury one", 8);
	say(" 1h\ndo\0ne\r", 10);
	check_bytes(s.last, s.last_len, "give-back 1h", 12);
	end("do\0ne\r", 6);
	begin();
	say("done\n\n", 6);
	end("", 0);
	begin();
	says_end(&s);
	check_int(s.any, false);
	close(out);
}

static void long_lines(void)
{
	static char line[3 * SAID_LINE_MAX];

	memset(line, 'x', sizeof line);
	line[SAID_LINE_MAX] = '\n';
	begin();
	say(line, SAID_LINE_MAX + 1);
	end(line, SAID_LINE_MAX);
	line[SAID_LINE_MAX] = 'x';
	begin();
	say(line, sizeof line);
	say("\n", 1);
	check_int((int64_t)s.last_len, SAID_LINE_MAX + 1);
	say(line, sizeof line);
	end(line, SAID_LINE_MAX + 1);
	begin();
	say(line, sizeof line);
	say("\ndone", 5);
	end("done", 4);
}

/* Its writer has gone, and so poll would tell for ever that nobody writes; but another may come. */
static void closed(void)
{
	struct pollfd polled;

	begin();
	say("retry 1h\n", 9);
	close(out);
	says_drain(&s);
	polled = (struct pollfd){.fd = s.fd, .events = POLLIN};
	check_int(poll(&polled, 1, 0), 0);
	out = said_pipe_own(s.fd);
	say("give-back", 9);
	end("give-back", 9);
	check_int(fcntl(polled.fd, F_GETFD), -1);
}

static void forgotten(void)
{
	begin();
	say("bury\ndone", 9);
	says_forget(&s);
	says_end(&s);
	check_int(s.any, false);
	check_int(write(out, "x", 1), -1);
	close(out);
}

int main(void)
{
	signal(SIGPIPE, SIG_IGN);
	pieces();
	long_lines();
	closed();
	forgotten();
	return unit_end();
}
