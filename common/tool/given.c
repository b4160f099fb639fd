#include "tool/given.h"

#include <fcntl.h>
#include <stddef.h>
#include <sys/resource.h>
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

/* spawn_with_core: a command inherits the limit that this process has at the moment. No signal can
 * end this process then, so it leaves no core file. */
static int spawn_with_core(pid_t *pid, const posix_spawn_file_actions_t *files,
			   const posix_spawnattr_t *attr, char *const argv[], char *const envp[])
{
	sigset_t all, before;
	int failed;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	limit_core(core.rlim_cur);
	failed = posix_spawnp(pid, argv[0], files, attr, argv, envp);
	limit_core(0);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return failed;
}

int given_spawn(pid_t *pid, const posix_spawn_file_actions_t *files, char *const argv[],
		char *const envp[])
{
	posix_spawnattr_t attr;
	int failed;

	posix_spawnattr_init(&attr);
	prepare(&attr);
	if (core_lowered && core.rlim_cur > 0)
		failed = spawn_with_core(pid, files, &attr, argv, envp);
	else
		failed = posix_spawnp(pid, argv[0], files, &attr, argv, envp);
	posix_spawnattr_destroy(&attr);
	return failed;
}
