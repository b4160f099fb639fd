#define _GNU_SOURCE /* F_SETPIPE_SZ, pipe2, memfd_create */
#include "dq-run/payload.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "unit.h"

#define BIG (3 << 20)
#define PIPE_USUAL 65536

static bool narrow;        /* pipes hold a page, as if this user had too many of them */
static int no_memory_file; /* errno of memfd_create */
static unsigned refused;   /* flags that memfd_create does not know */
static char bytes[BIG], got[BIG + 1];

/* These two take the place of those of libc. */
int pipe2(int fds[2], int flags)
{
	int status = (int)syscall(SYS_pipe2, fds, flags);

	if (status == 0 && narrow)
		fcntl(fds[0], F_SETPIPE_SZ, 4096);
	return status;
}

int memfd_create(const char *name, unsigned flags)
{
	errno = flags & refused ? EINVAL : no_memory_file;
	return errno ? -1 : (int)syscall(SYS_memfd_create, name, flags);
}

/* read_all reads until the end, while the writer writes what it still has.
 * It returns the number of bytes. */
static size_t read_all(struct payload *p, int in)
{
	size_t len = 0;

	for (;;) {
		ssize_t n = read(in, got + len, sizeof got - len);
		if (n <= 0)
			return len;
		len += (size_t)n;
		if (p->pipe >= 0)
			payload_feed(p);
	}
}

static bool is_file(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
}

/* held returns the bytes that a new pipe holds; at most PIPE_USUAL are tried. */
static size_t held(void)
{
	int fds[2], size;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return 0;
	size = fcntl(fds[0], F_GETPIPE_SZ);
	close(fds[0]);
	close(fds[1]);
	return size < PIPE_USUAL ? (size_t)size : PIPE_USUAL;
}

/* given: a payload of len bytes is read as it is: from a pipe if that holds it, else from a file in
 * memory if there is one. */
static void given(size_t len, const char *row)
{
	const bool fits = len <= held(), file = !fits && !no_memory_file;
	struct payload p;
	int in = -1;

	check_row(payload_open(&p, bytes, len, &in) == 0, row);
	check_row(p.pipe < 0 || (!fits && !file), row);
	check_row(is_file(in) == file, row);
	memset(got, 0, len);
	check_row(read_all(&p, in) == len && memcmp(got, bytes, len) == 0, row);
	check_row(p.pipe < 0, row);
	if (file) {
		check_row(pwrite(in, "x", 1, 0) < 0 && ftruncate(in, 0) < 0, row);
		check_row(lseek(in, 0, SEEK_SET) == 0 && read_all(&p, in) == len, row);
	}
	close(in);
	payload_free(&p);
}

static void limited(void)
{
	struct rlimit before, limit;
	struct payload p;
	int in;

	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	limit = before;
	limit.rlim_cur = 100000;
	setrlimit(RLIMIT_FSIZE, &limit);
	CHECK(payload_open(&p, bytes, BIG, &in) == EFBIG && p.pipe < 0);
	given(60000, "below the limit of file sizes");
	setrlimit(RLIMIT_FSIZE, &before);
}

int main(void)
{
	for (size_t i = 0; i < BIG; i++)
		bytes[i] = (char)(i * 2654435761u >> 13);
	given(0, "empty");
	given(1, "small");
	given(65536, "a full pipe");
	given(65537, "more than a pipe");
	given(BIG, "large");
	limited();
	refused = 8;
	given(BIG, "an old kernel");
	narrow = true;
	given(4096, "narrow: a page");
	given(4097, "narrow: more");
	given(60000, "narrow: much more");
	no_memory_file = ENOSYS;
	given(4096, "narrow, no files in memory: a page");
	given(60000, "narrow, no files in memory: more");
	narrow = false;
	given(60000, "no files in memory: small");
	given(BIG, "no files in memory: large");
	return unit_end();
}
