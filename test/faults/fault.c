/* fault.so: makes one call of one program fail, so that a sweep can try them all. For LD_PRELOAD.
 *
 *   FAULT_TOOL=NAME         the program; in others (its commands, shells) nothing happens
 *   FAULT_MAP=FILE          a struct tally, shared with the sweep: it survives a kill
 *   FAULT=KIND:N:WHAT[+]    at the N-th call of a KIND (a name below; any = all but alloc) WHAT
 *                           happens, with + at all later ones, too. WHAT is the number of an errno,
 *                           or -SIGNAL (raised before the call; what is after one call is before
 *                           the next), or 0: a write of one byte
 *   FAULT_FILES=N           RLIMIT_NOFILE, from when the program is loaded
 *   FAULT_KIB=N             RLIMIT_AS, N KiB above what it then has */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum kind {
	ANY, CONNECT, POLL, READ, WRITE, OPEN, CLOSE, SOCKET, RANDOM, FCNTL, FSTAT, PIPE, SPAWN,
	WAIT, ALLOC, KINDS
};

static const char *const names[KINDS] = {"any", "connect", "poll", "read", "write", "open", "close",
					 "socket", "getrandom", "fcntl", "fstat", "pipe", "spawn",
					 "wait", "alloc"};

struct tally {
	uint32_t count[KINDS];
	uint32_t hits;
	int32_t fd; /* that the last hit was on, or -1 */
};

static struct tally *tally; /* NULL: not our program, or not yet */
static struct { enum kind kind; unsigned n; int what; int on; } fault = {.kind = KINDS};

/* What the calls below would have been. */
#define REAL(name) ((__typeof__(&(name)))real(#name))

static void *real(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

static int is_it(enum kind kind, unsigned n)
{
	return kind == fault.kind && (n == fault.n || (fault.on && n > fault.n));
}

/* strikes counts a call, and says if it is to fail. A signal is raised here. */
static int strikes(enum kind kind, int fd)
{
	int hit;

	if (!tally)
		return 0;
	hit = is_it(kind, ++tally->count[kind]);
	if (kind != ALLOC)
		hit |= is_it(ANY, ++tally->count[ANY]);
	if (!hit)
		return 0;
	tally->hits++;
	tally->fd = fd;
	if (fault.what < 0)
		raise(-fault.what);
	errno = fault.what;
	return fault.what >= 0;
}

static void read_fault(const char *text)
{
	char name[16] = "", plus = 0;
	unsigned n = 0;
	int what = 0;

	if (sscanf(text, "%15[a-z]:%u:%d%c", name, &n, &what, &plus) < 3)
		abort();
	for (int i = 0; i < KINDS; i++)
		if (!strcmp(name, names[i]))
			fault.kind = (enum kind)i;
	if (fault.kind == KINDS)
		abort();
	fault.n = n;
	fault.what = what;
	fault.on = plus == '+';
}

static const struct rlimit *both(rlim_t to) /* the soft limit and the hard */
{
	static struct rlimit limit;

	limit.rlim_cur = limit.rlim_max = to;
	return &limit;
}

static void must(int status)
{
	if (status < 0)
		abort();
}

static unsigned long pages(void)
{
	unsigned long n = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (!f || fscanf(f, "%lu", &n) != 1)
		abort();
	fclose(f);
	return n;
}

__attribute__((constructor)) static void begin(void)
{
	const char *tool = getenv("FAULT_TOOL"), *map = getenv("FAULT_MAP"),
		   *text = getenv("FAULT");
	const char *files = getenv("FAULT_FILES"), *kib = getenv("FAULT_KIB");
	void *shared;
	int fd;

	if (!tool || !map || strcmp(tool, program_invocation_short_name))
		return;
	fd = open(map, O_RDWR | O_CLOEXEC);
	shared = fd < 0 ? MAP_FAILED :
			  mmap(NULL, sizeof *tally, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (shared == MAP_FAILED)
		abort();
	close(fd);
	if (text)
		read_fault(text);
	if (kib)
		must(setrlimit(RLIMIT_AS, both(pages() * (rlim_t)sysconf(_SC_PAGESIZE) +
					       strtoul(kib, NULL, 10) * 1024)));
	if (files)
		must(setrlimit(RLIMIT_NOFILE, both(strtoul(files, NULL, 10))));
	tally = shared;
}

/* An interrupted connect goes on by itself, so it is begun. */
int connect(int fd, const struct sockaddr *addr, socklen_t len)
{
	int hit = strikes(CONNECT, fd), saved = errno;

	if (hit && saved != EINTR)
		return -1;
	if (REAL(connect)(fd, addr, len) < 0)
		return -1;
	errno = saved;
	return hit ? -1 : 0;
}

int poll(struct pollfd *fds, nfds_t n, int timeout)
{
	return strikes(POLL, -1) ? -1 : REAL(poll)(fds, n, timeout);
}

int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *set)
{
	return strikes(POLL, -1) ? -1 : REAL(ppoll)(fds, n, timeout, set);
}

/* broken: after most errors a socket is dead, not only for that call. */
static ssize_t broken(int fd)
{
	int saved = errno;

	if (saved != EINTR && saved != EAGAIN && saved != ENOMEM)
		shutdown(fd, SHUT_RDWR); /* of anything else: no effect */
	errno = saved;
	return -1;
}

ssize_t read(int fd, void *bytes, size_t len)
{
	return strikes(READ, fd) ? broken(fd) : REAL(read)(fd, bytes, len);
}

ssize_t recv(int fd, void *bytes, size_t len, int flags)
{
	return strikes(READ, fd) ? broken(fd) : REAL(recv)(fd, bytes, len, flags);
}

ssize_t write(int fd, const void *bytes, size_t len)
{
	if (strikes(WRITE, fd)) {
		if (errno)
			return broken(fd);
		len = len > 1;
	}
	return REAL(write)(fd, bytes, len);
}

ssize_t send(int fd, const void *bytes, size_t len, int flags)
{
	if (strikes(WRITE, fd)) {
		if (errno)
			return broken(fd);
		len = len > 1;
	}
	return REAL(send)(fd, bytes, len, flags);
}

static int open_real(const char *path, int flags, mode_t mode)
{
	return strikes(OPEN, -1) ? -1 : openat(AT_FDCWD, path, flags, mode);
}

static mode_t mode_of(int flags, va_list args)
{
	return flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;
}

#define OPEN(name) \
	int name(const char *path, int flags, ...) \
	{ \
		va_list args; \
		mode_t mode; \
		va_start(args, flags); \
		mode = mode_of(flags, args); \
		va_end(args); \
		return open_real(path, flags, mode); \
	}

OPEN(open)

#ifdef __GLIBC__ /* others have no names for 64-bit offsets, or make them the same */
OPEN(open64)

int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);

int __open_2(const char *path, int flags)
{
	return open_real(path, flags, 0);
}

int __open64_2(const char *path, int flags)
{
	return open_real(path, flags, 0);
}
#endif

/* Whatever close says, the descriptor is gone. */
int close(int fd)
{
	int hit = strikes(CLOSE, fd), saved = errno, status = REAL(close)(fd);

	if (!hit)
		return status;
	errno = saved;
	return -1;
}

int socket(int domain, int type, int protocol)
{
	return strikes(SOCKET, -1) ? -1 : REAL(socket)(domain, type, protocol);
}

ssize_t getrandom(void *bytes, size_t len, unsigned flags)
{
	return strikes(RANDOM, -1) ? -1 : REAL(getrandom)(bytes, len, flags);
}

#define FCNTL(name) \
	int name(int fd, int command, ...) \
	{ \
		va_list args; \
		void *arg; \
		va_start(args, command); \
		arg = va_arg(args, void *); \
		va_end(args); \
		return strikes(FCNTL, fd) ? -1 : REAL(name)(fd, command, arg); \
	}

FCNTL(fcntl)

int fstat(int fd, struct stat *st)
{
	return strikes(FSTAT, fd) ? -1 : REAL(fstat)(fd, st);
}

#ifdef __GLIBC__
FCNTL(fcntl64)

int fstat64(int fd, struct stat64 *st)
{
	return strikes(FSTAT, fd) ? -1 : REAL(fstat64)(fd, st);
}
#endif

int pipe(int fds[2])
{
	return strikes(PIPE, -1) ? -1 : REAL(pipe)(fds);
}

int pipe2(int fds[2], int flags)
{
	return strikes(PIPE, -1) ? -1 : REAL(pipe2)(fds, flags);
}

int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *files,
		 const posix_spawnattr_t *attr, char *const argv[], char *const envp[])
{
	return strikes(SPAWN, -1) ? errno : REAL(posix_spawnp)(pid, file, files, attr, argv, envp);
}

pid_t waitpid(pid_t pid, int *status, int options)
{
	return strikes(WAIT, -1) ? -1 : REAL(waitpid)(pid, status, options);
}

/* By glibc's other names, since dlsym may allocate. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);

void *malloc(size_t size)
{
	return strikes(ALLOC, -1) ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	return strikes(ALLOC, -1) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *old, size_t size)
{
	return strikes(ALLOC, -1) ? NULL : __libc_realloc(old, size);
}
