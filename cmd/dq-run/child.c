#define _GNU_SOURCE /* pipe2, in POSIX since 2024 */
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tool/given.h"

int child_adopt(void)
{
	return prctl(PR_SET_CHILD_SUBREAPER, 1);
}

pid_t child_gather(int *status)
{
	pid_t pid;

	do
		pid = waitpid(-1, status, WNOHANG);
	while (pid < 0 && errno == EINTR);
	return pid;
}

static void close_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

int child_pipe(int fds[2])
{
	int failed = 0;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return errno;
	if (fcntl(fds[0], F_SETFL, O_NONBLOCK) < 0) {
		failed = errno;
		close_end(&fds[0]);
		close_end(&fds[1]);
	}
	return failed;
}

static int spawn(struct child *c, char *const argv[], char *const envp[], int in, int out, int err,
		 int says)
{
	/* without the first the command would read our standard input, which is not the payload;
	 * the last also replaces a descriptor 3 that we were given: what a command says must not go
	 * elsewhere */
	const int moves[][2] = {{in, STDIN_FILENO},
				{out < 0 ? STDOUT_FILENO : out, STDOUT_FILENO},
				{err, STDERR_FILENO},
				{says, SAID_FD}};

	return given_spawn(&c->pid, moves, sizeof moves / sizeof *moves, argv, envp);
}

/* start runs the command with standard input in and descriptor 3 says. */
static int start(struct child *c, char *const argv[], char *const envp[], int in, int says,
		 bool reads_output)
{
	int err[2] = {-1, -1}, out[2] = {-1, -1}, failed = child_pipe(err);

	if (!failed && reads_output)
		failed = child_pipe(out);
	c->err = err[0];
	c->out.fd = out[0];
	if (!failed)
		failed = spawn(c, argv, envp, in, out[1], err[1], says);
	close_end(&err[1]);
	close_end(&out[1]);
	if (failed)
		c->pid = 0;
	c->group = c->pid;
	return failed;
}

#define REFUSED (1 << 8) /* as from waitpid: exit status 1 */

static const char too_big[] = "the payload is larger than the limit of file sizes (ulimit -f)";

static int prepare(struct child *c, char *const argv[], char *const envp[], int says,
		   bool reads_output, const char *input, size_t len)
{
	int in, failed;

	failed = payload_open(&c->payload, input, len, &in);
	if (failed == EFBIG) { /* the fault of this message and of the limit; others can be run */
		c->status = REFUSED;
		tail_set(&c->tail, too_big);
		return 0;
	}
	if (failed)
		return failed;
	failed = start(c, argv, envp, in, says, reads_output);
	close(in);
	return failed;
}

void child_clear(struct child *c)
{
	memset(c, 0, offsetof(struct child, says));
	c->err = -1;
	says_start(&c->says, -1);
	tail_start(&c->tail);
	output_start(&c->out, -1);
}

int child_start(struct child *c, char *const argv[], char *const envp[], const int says[2],
		bool reads_output, const char *input, size_t len)
{
	int failed;

	child_clear(c);
	c->says.fd = says[0];
	failed = prepare(c, argv, envp, says[1], reads_output, input, len);
	close(says[1]);
	if (failed)
		child_free(c);
	return failed;
}

#define DRAIN_READS 256 /* as many as a full pipe needs */

void child_pass(int *err, struct tail *tail, void (*each)(const char *bytes, size_t len),
		bool (*ready)(void))
{
	char bytes[4096];

	for (int reads = 0; *err >= 0 && reads < DRAIN_READS && (!ready || ready()); reads++) {
		ssize_t n = read(*err, bytes, sizeof bytes);
		if (n > 0) {
			each(bytes, (size_t)n);
			if (tail)
				tail_add(tail, bytes, (size_t)n);
		} else if (n == 0 || (errno != EINTR && errno != EAGAIN)) {
			close_end(err);
		} else if (errno == EAGAIN) {
			return;
		}
	}
}

void child_drain(struct child *c, void (*each)(const char *bytes, size_t len), bool (*ready)(void))
{
	child_pass(&c->err, &c->tail, each, ready);
}

void child_ended(struct child *c, int status)
{
	c->pid = 0;
	c->status = status;
}

void child_unknown(struct child *c)
{
	c->pid = 0;
	c->unknown = true;
	c->status = SIGKILL;
}

void child_forget(struct child *c)
{
	child_unknown(c);
	c->group = 0;
	says_forget(&c->says);
}

bool child_reap(struct child *c, void (*each)(const char *bytes, size_t len))
{
	static const char why[] = "its exit status could not be had";

	if (c->pid != 0 || !output_end(&c->out))
		return false;
	/* A descendant may hold the pipe open forever, so only what has arrived by now counts. */
	says_end(&c->says);
	child_drain(c, each, NULL);
	tail_end(&c->tail);
	if (c->unknown && c->tail.len == 0)
		tail_set(&c->tail, why);
	payload_free(&c->payload);
	return true;
}

/* has_member: is a process of the group our child, and not yet gathered? It keeps the system from
 * reusing the group's number, because only this tool can gather it. kill(2) with signal 0 would
 * also count processes that others leave ungathered, and a foreign group of the same number. */
static bool has_member(pid_t group)
{
	siginfo_t info;

	return waitid(P_PGID, (id_t)group, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

bool child_leaves(const struct child *c)
{
	return c->pid == 0 && c->group > 0 && has_member(c->group);
}

void child_signal(const struct child *c, int signal)
{
	if (c->pid > 0 || child_leaves(c))
		kill(-c->group, signal);
}

void child_free(struct child *c)
{
	says_end(&c->says);
	close_end(&c->err);
	output_drop(&c->out);
	payload_free(&c->payload);
}
