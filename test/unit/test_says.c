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
	end("give-back 1h\ndo\0ne", 18);
	begin();
	say("done\r\n\r\n", 8);
	end("done\n", 5);
	begin();
	say("x\n\ndon", 6);
	end("don", 3);
	begin();
	say("\n\n", 2);
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
	say("\ndone", 5);
	end("done", 4);
	memcpy(line, "done x", 6);
	begin();
	for (int i = 0; i < 3; i++)
		say(line, sizeof line);
	say("\nmore\n\n", 7);
	end(line, SAID_LINE_MAX);
	begin();
	say(line, SAID_LINE_MAX - 3);
	say("\nmore\n\n", 7);
	line[SAID_LINE_MAX - 3] = '\n';
	memcpy(line + SAID_LINE_MAX - 2, "mo", 2);
	end(line, SAID_LINE_MAX);
}

static void changes(void)
{
	begin();
	say("done a\nb\nretry c\n", 17);
	check_int(s.changed, true);
	say("d\n", 2);
	check_int(s.changed, true);
	end("retry c\nd", 9);
	begin();
	say("x\nretry c\ndone a\ndone b\n", 24);
	check_int(s.changed, false);
	end("done b", 6);
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
	changes();
	closed();
	forgotten();
	return unit_end();
}
