#define _GNU_SOURCE /* pipe2, in POSIX since 2024 */
#include "tty.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "tool/given.h"

#define ENTER "\033[?1049h\033[?25l"          /* alternate screen, no cursor */
#define LEAVE "\033[0m\033[?25h\033[?1049l"

static struct termios before;
static bool taken, raw, keys;
static int pipe_fds[2] = {-1, -1};
static volatile sig_atomic_t stop, resized;

static void on_signal(int signal)
{
	int saved = errno;

	if (signal == SIGTSTP)
		stop = 1;
	else
		resized = 1;
	if (write(pipe_fds[1], "", 1) < 0) {
		/* if the pipe is full, it is readable already */
	}
	errno = saved;
}

/* say writes a sequence. If the terminal is gone, nobody would see it. */
static void say(const char *text)
{
	ssize_t n = write(STDOUT_FILENO, text, strlen(text));

	(void)n;
}

/* take leaves the keys that send signals (Ctrl-C, Ctrl-Z) as they are. */
static void take(void)
{
	struct termios now;

	if (keys && tcgetattr(STDIN_FILENO, &before) == 0) {
		now = before;
		now.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
		now.c_cc[VMIN] = 1;
		now.c_cc[VTIME] = 0;
		raw = tcsetattr(STDIN_FILENO, TCSADRAIN, &now) == 0;
	}
	say(ENTER);
	taken = true;
}

void tty_close(void)
{
	if (!taken)
		return;
	say(LEAVE);
	if (raw)
		tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
	taken = raw = false;
}

static void catch(int signal)
{
	const struct sigaction sa = {.sa_handler = on_signal, .sa_flags = SA_RESTART};

	given_catch(signal, &sa);
}

int tty_open(void)
{
	if (pipe2(pipe_fds, O_CLOEXEC | O_NONBLOCK) < 0)
		return -1;
	keys = isatty(STDIN_FILENO);
	catch(SIGTSTP);
	catch(SIGWINCH);
	take();
	return 0;
}

int tty_fd(void)
{
	return pipe_fds[0];
}

/* stop_here stops the process as the default action of the signal would. */
static void stop_here(void)
{
	tty_close();
	signal(SIGTSTP, SIG_DFL);
	raise(SIGTSTP);
	catch(SIGTSTP);
	take();
}

bool tty_signals(void)
{
	char drop[64];
	bool any = stop || resized;

	while (read(pipe_fds[0], drop, sizeof drop) > 0)
		;
	resized = 0;
	if (stop) {
		stop = 0;
		stop_here();
	}
	return any;
}

int tty_keys(void)
{
	return keys ? STDIN_FILENO : -1;
}

/* next reads a byte that has arrived, or returns 0.
 * The rest of a sequence arrives with its first byte. */
static int next(void)
{
	struct pollfd p = {.fd = STDIN_FILENO, .events = POLLIN};
	unsigned char byte;

	if (!keys || poll(&p, 1, 0) <= 0)
		return TTY_NONE;
	if (read(STDIN_FILENO, &byte, 1) == 1)
		return byte;
	keys = false;
	return TTY_GONE;
}

int tty_key(void)
{
	int byte = next();

	if (byte == '\r' || byte == '\n')
		return TTY_ENTER;
	if (byte == 127 || byte == '\b')
		return TTY_BACK;
	if (byte != '\033')
		return byte;
	byte = next();
	if (byte != '[' && byte != 'O')
		return byte == TTY_NONE ? TTY_BACK : byte;
	do
		byte = next();
	while ((byte >= '0' && byte <= '9') || byte == ';');
	return byte == 'A' ? TTY_UP :
	       byte == 'B' ? TTY_DOWN :
	       byte == 'C' ? TTY_ENTER :
	       byte == 'D' ? TTY_BACK :
			     '?';
}
