#define _GNU_SOURCE /* execvpe; pipe2, in POSIX since 2024 */
#include "tool/given.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const int unwanted[] = {SIGPIPE, SIGXFSZ};
enum { UNWANTED = sizeof unwanted / sizeof *unwanted };

static bool was_ignored[UNWANTED];
static sigset_t blocked;
static struct rlimit core;
static bool core_lowered;

int given_start(void)
{
	struct sigaction old;

	/* Otherwise the next socket would become stdin,
	 * and payloads written to stdout would go to Redis. */
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) < 0)
			return -1;
	for (int i = 0; i < UNWANTED; i++) {
		sigaction(unwanted[i], NULL, &old);
		was_ignored[i] = old.sa_handler == SIG_IGN;
		signal(unwanted[i], SIG_IGN);
	}
	return sigprocmask(SIG_BLOCK, NULL, &blocked);
}

bool given_pipe_ignored(void)
{
	return was_ignored[0];
}

void given_hear(int signal)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, signal);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

void given_catch(int signal, const struct sigaction *sa)
{
	struct sigaction old;

	sigaction(signal, NULL, &old);
	if (old.sa_handler == SIG_IGN)
		return;
	sigaction(signal, sa, NULL);
	given_hear(signal);
}

/* limit_core leaves the hard limit, so that a command can get its own limit back. */
static void limit_core(rlim_t bytes)
{
	const struct rlimit limit = {bytes, core.rlim_max};

	setrlimit(RLIMIT_CORE, &limit);
}

void given_no_core(void)
{
	if (core_lowered || getrlimit(RLIMIT_CORE, &core) < 0)
		return;
	core_lowered = true;
	limit_core(0);
}

static void prepare(posix_spawnattr_t *attr)
{
	sigset_t by_default;

	sigemptyset(&by_default);
	sigaddset(&by_default, SIGCHLD);
	for (int i = 0; i < UNWANTED; i++)
		if (!was_ignored[i])
			sigaddset(&by_default, unwanted[i]);
	posix_spawnattr_setsigmask(attr, &blocked);
	posix_spawnattr_setsigdefault(attr, &by_default);
	posix_spawnattr_setpgroup(attr, 0);
	posix_spawnattr_setflags(attr, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF |
					       POSIX_SPAWN_SETSIGMASK);
}

struct command {
	const int (*moves)[2];
	size_t count;
	char *const *argv, *const *envp;
};

static int spawn(pid_t *pid, const struct command *c)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	int failed = 0;

	posix_spawn_file_actions_init(&files);
	posix_spawnattr_init(&attr);
	prepare(&attr);
	for (size_t i = 0; i < c->count && !failed; i++)
		failed = posix_spawn_file_actions_adddup2(&files, c->moves[i][0], c->moves[i][1]);
	if (!failed)
		failed = posix_spawnp(pid, c->argv[0], &files, &attr, c->argv, c->envp);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&files);
	return failed;
}

/* become is that in a child of fork. All signals are blocked. It returns if it fails. */
static void become(const struct command *c)
{
	struct sigaction old;

	for (int i = 1; i < NSIG; i++) /* a signal that is pending must not reach our handlers */
		if (sigaction(i, NULL, &old) == 0 && (old.sa_handler != SIG_IGN || i == SIGCHLD))
			signal(i, SIG_DFL);
	for (int i = 0; i < UNWANTED; i++)
		signal(unwanted[i], was_ignored[i] ? SIG_IGN : SIG_DFL);
	for (size_t i = 0; i < c->count; i++) {
		int from = c->moves[i][0], to = c->moves[i][1];
		if (from == to ? fcntl(to, F_SETFD, 0) < 0 : dup2(from, to) < 0)
			return;
	}
	if (setpgid(0, 0) == 0 && sigprocmask(SIG_SETMASK, &blocked, NULL) == 0)
		execvpe(c->argv[0], c->argv, c->envp);
}

/* by_fork is spawn where the system refuses clone3, but not clone: older filters of containers
 * reply EPERM to what they do not know, and glibc then does not fall back. */
static int by_fork(pid_t *pid, const struct command *c)
{
	int failed = 0, fds[2];
	sigset_t all, before;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return errno;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	*pid = fork();
	if (*pid == 0) {
		become(c);
		failed = errno;
		_exit(write(fds[1], &failed, sizeof failed) < 0 ? 126 : 127);
	}
	if (*pid < 0)
		failed = errno;
	sigprocmask(SIG_SETMASK, &before, NULL);
	close(fds[1]);
	/* nothing comes if it has become the command */
	while (*pid > 0 && read(fds[0], &failed, sizeof failed) < 0 && errno == EINTR)
		;
	close(fds[0]);
	while (failed && *pid > 0 && waitpid(*pid, NULL, 0) < 0 && errno == EINTR)
		;
	return failed;
}

static int start(pid_t *pid, const struct command *c)
{
	int failed = spawn(pid, c);

	return failed == EPERM || failed == ENOSYS ? by_fork(pid, c) : failed;
}

/* start_with_core: a command inherits the limit that this process has at the moment. No signal can
 * end this process then, so it leaves no core file. */
static int start_with_core(pid_t *pid, const struct command *c)
{
	sigset_t all, before;
	int failed;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	limit_core(core.rlim_cur);
	failed = start(pid, c);
	limit_core(0);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return failed;
}

int given_spawn(pid_t *pid, const int (*moves)[2], size_t count, char *const argv[],
		char *const envp[])
{
	const struct command c = {moves, count, argv, envp};

	return core_lowered && core.rlim_cur > 0 ? start_with_core(pid, &c) : start(pid, &c);
}
