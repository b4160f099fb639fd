#define _GNU_SOURCE /* pipe2, in POSIX since 2024 */
#include "tool/stop.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "tool/given.h"

static volatile sig_atomic_t came;
static int pipe_fds[2] = {-1, -1}, child_fds[2] = {-1, -1};

static void on_signal(int signal)
{
	int saved = errno;

	if (!came)
		came = signal;
	if (write(pipe_fds[1], "", 1) < 0) {
		/* if the pipe is full, it is readable already */
	}
	errno = saved;
}

static void on_child(int signal)
{
	int saved = errno;

	if (write(child_fds[1], &signal, 1) < 0) {
		/* if the pipe is full, it is readable already */
	}
	errno = saved;
}

int stop_catch(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	/* no SA_RESTART: a blocked write must return */
	struct sigaction sa = {.sa_handler = on_signal};

	if (pipe2(pipe_fds, O_CLOEXEC | O_NONBLOCK) < 0)
		return -1;
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		given_catch(signals[i], &sa);
	return pipe_fds[0];
}

int stop_catch_children(void)
{
	struct sigaction sa = {.sa_handler = on_child, .sa_flags = SA_NOCLDSTOP | SA_RESTART};

	if (pipe2(child_fds, O_CLOEXEC | O_NONBLOCK) < 0)
		return -1;
	sigaction(SIGCHLD, &sa, NULL); /* ignored, the system would gather the commands */
	given_hear(SIGCHLD);
	return child_fds[0];
}

int stop_fd(void)
{
	return pipe_fds[0];
}

int stop_signal(void)
{
	return came;
}

void stop_note(int signal)
{
	if (!came)
		came = signal;
}

void stop_die(void)
{
	signal(came, SIG_DFL);
	given_hear(came);
	raise(came);
}
