#include "tool/prompt.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "redis/sock.h"
#include "tool/given.h"

static const int signals[] = {SIGQUIT, SIGTSTP}; /* signals that no other module catches */
enum { SIGNALS = sizeof signals / sizeof *signals };

/* One terminal, and one question at a time: the handler needs them. */
static int tty;
static const char *asked;
static struct termios was, silent;

static int ask(void)
{
	tcsetattr(tty, TCSAFLUSH, &silent);
	return write(tty, asked, strlen(asked)) < 0 ? -1 : 0;
}

/* step_back performs the default action of the signal, with echo on. It returns when the tool
 * continues. Process 1 does not die. */
static void step_back(int signal)
{
	const struct sigaction by_default = {.sa_handler = SIG_DFL};
	struct sigaction mine;
	int saved = errno;

	tcsetattr(tty, TCSAFLUSH, &was);
	sigaction(signal, &by_default, &mine);
	raise(signal);
	given_hear(signal);
	sigaction(signal, &mine, NULL);
	ask();
	errno = saved;
}

static void catch(struct sigaction old[SIGNALS])
{
	const struct sigaction sa = {.sa_handler = step_back, .sa_flags = SA_RESTART};

	for (int i = 0; i < SIGNALS; i++) {
		sigaction(signals[i], NULL, &old[i]);
		given_catch(signals[i], &sa);
	}
}

/* read_line reads up to a line feed. */
static int read_line(int stop_fd, char *line, size_t size)
{
	struct err e;
	size_t len = 0;
	ssize_t n;

	for (;;) {
		if (sock_wait(tty, POLLIN, -1, stop_fd, &e) < 0)
			return -1;
		n = read(tty, line + len, 1);
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (n <= 0)
			return -1;
		if (line[len] == '\n')
			break;
		if (++len == size - 1)
			return -1;
	}
	line[len] = 0;
	return 0;
}

enum prompt_got prompt_line(const char *question, int stop_fd, char *line, size_t size)
{
	struct sigaction old[SIGNALS];
	enum prompt_got got;

	tty = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
	if (tty < 0 || tcgetattr(tty, &was) < 0)
		return PROMPT_NO_TERMINAL;
	asked = question;
	silent = was;
	silent.c_lflag &= ~(tcflag_t)ECHO;
	catch(old);
	got = ask() < 0 || read_line(stop_fd, line, size) < 0 ? PROMPT_NO_LINE : PROMPT_LINE;
	tcsetattr(tty, TCSAFLUSH, &was);
	for (int i = 0; i < SIGNALS; i++)
		sigaction(signals[i], &old[i], NULL);
	if (write(tty, "\n", 1) < 0)
		got = PROMPT_NO_LINE;
	close(tty);
	return got;
}
