#define _GNU_SOURCE /* F_SETPIPE_SZ, memfd_create; pipe2, in POSIX since 2024 */
#include "payload.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

/* bytes that a pipe holds; less if this user has many pipes (pipe-user-pages-soft in pipe(7)) */
#define PIPE_USUAL 65536

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8 /* since Linux 6.3, which may refuse files without it */
#endif

static void close_keeping_errno(int fd)
{
	int failed = errno;

	close(fd);
	errno = failed;
}

static int memory_file(void)
{
	int fd = memfd_create("dq-payload", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);

	if (fd < 0 && errno == EINVAL)
		return memfd_create("dq-payload", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	return fd;
}

/* write_at leaves the offset of the file at its beginning, where the command reads. */
static int write_at(int fd, const char *bytes, size_t len)
{
	for (size_t done = 0; done < len;) {
		ssize_t n = pwrite(fd, bytes + done, len - done, (off_t)done);
		if (n < 0 && errno != EINTR)
			return -1;
		done += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

/* in_memory returns a file in memory that has the bytes and that nobody can change.
 * -1: errno has the reason. */
static int in_memory(const char *bytes, size_t len)
{
	int fd = memory_file();

	if (fd < 0)
		return -1;
	if (write_at(fd, bytes, len) == 0 &&
	    fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) == 0)
		return fd;
	close_keeping_errno(fd);
	return -1;
}

/* write_some returns the number of bytes that the pipe takes now;
 * len if the command reads no more. */
static size_t write_some(int fd, const char *bytes, size_t len)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = write(fd, bytes + done, len - done);
		if (n >= 0)
			done += (size_t)n;
		else if (errno == EPIPE)
			return len;
		else if (errno != EINTR)
			/* full, or no memory for it: half a payload must not look like
			 * a whole one */
			break;
	}
	return done;
}

static void end(struct payload *p)
{
	if (p->pipe >= 0)
		close(p->pipe);
	p->pipe = -1;
}

/* in_pipe returns the read end, and keeps what the pipe does not hold. No other child inherits the
 * pipe. -1: errno has the reason. */
static int in_pipe(struct payload *p, const char *bytes, size_t len)
{
	int fds[2];
	size_t held;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return -1;
	p->pipe = fds[1];
	if (len > PIPE_USUAL)
		fcntl(p->pipe, F_SETPIPE_SZ, (int)len);
	if (fcntl(p->pipe, F_SETFL, O_NONBLOCK) < 0) {
		close_keeping_errno(fds[0]);
		return -1;
	}
	held = write_some(p->pipe, bytes, len);
	if (held == len) {
		end(p);
	} else if (buf_add(&p->rest, bytes + held, len - held) < 0) {
		close(fds[0]);
		errno = ENOMEM;
		return -1;
	}
	return fds[0];
}

static int failed(struct payload *p)
{
	int why = errno;

	payload_free(p);
	return why;
}

int payload_open(struct payload *p, const char *bytes, size_t len, int *in)
{
	int memory, why;

	*p = (struct payload){.pipe = -1};
	*in = -1;
	if (len <= PIPE_USUAL) {
		*in = in_pipe(p, bytes, len);
		if (*in < 0)
			return failed(p);
		if (p->pipe < 0)
			return 0;
	}
	memory = in_memory(bytes, len);
	if (memory < 0 && errno != EFBIG) {
		if (*in < 0)
			*in = in_pipe(p, bytes, len);
		return *in < 0 ? failed(p) : 0;
	}
	why = memory < 0 ? EFBIG : 0;
	if (*in >= 0)
		close(*in);
	payload_free(p);
	*in = memory;
	return why;
}

void payload_feed(struct payload *p)
{
	p->written += write_some(p->pipe, p->rest.bytes + p->written, p->rest.len - p->written);
	if (p->written == p->rest.len)
		payload_free(p);
}

void payload_free(struct payload *p)
{
	end(p);
	buf_free(&p->rest);
}
