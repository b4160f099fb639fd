#include "redis/sock.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"

/* The limits of one attempt to open: stop_fd and the time. */
struct attempt {
	int stop_fd;
	int64_t started;
	int64_t deadline; /* of the whole attempt */
};

static int time_left(int64_t deadline)
{
	int64_t now;

	if (deadline == -1)
		return -1;
	now = clock_ms();
	if (deadline <= now)
		return 0;
	return deadline - now > INT_MAX ? INT_MAX : (int)(deadline - now);
}

int sock_wait_for(int fd, short events, int64_t deadline, const struct wait *w, struct err *e)
{
	struct meanwhile *m = w->meanwhile;

	for (;;) {
		struct pollfd p[3] = { { .fd = fd, .events = events }, { .fd = w->stop_fd, .events = POLLIN },
				       { .fd = m ? m->fd : -1, .events = POLLIN } };
		int n = poll(p, m ? 3 : 2, time_left(deadline));

		if (n < 0 && errno != EINTR && errno != EAGAIN)
			return err_set(e, DQ_INTERNAL, "poll: %s", strerror(errno));
		if (n > 0 && p[1].revents != 0)
			return err_set(e, DQ_STOPPED, "stopped");
		if (n > 0 && p[0].revents != 0)
			return 1;
		if (n > 0 && m && p[2].revents != 0)
			m->ready(m);
		if (n == 0 && time_left(deadline) == 0)
			return 0;
	}
}

int sock_wait(int fd, short events, int64_t deadline, int stop_fd, struct err *e)
{
	return sock_wait_for(fd, events, deadline, &(struct wait){.stop_fd = stop_fd}, e);
}

static int fail_with(struct err *e, enum status status, const char *reason)
{
	err_set(e, status, "%s", reason);
	e->text[0] = (char)tolower((unsigned char)e->text[0]);
	return -1;
}

static int fail_connect(struct err *e, const struct sockaddr *addr, int error)
{
	char shown[330];
	const char *path;

	if (error != ENOENT || addr->sa_family != AF_UNIX)
		return fail_with(e, DQ_UNAVAILABLE, strerror(error));
	path = ((const struct sockaddr_un *)(const void *)addr)->sun_path;
	return err_set(e, DQ_UNAVAILABLE, "no such socket: %s", text_shown(shown, sizeof shown, path, strlen(path)));
}

/* connect_start: a unix socket with a full backlog returns EAGAIN and is not in progress; only another call helps. */
static int connect_start(int fd, const struct sockaddr *addr, socklen_t len, int64_t deadline, const struct attempt *a,
	struct err *e)
{
	while (connect(fd, addr, len) < 0) {
		int64_t again = clock_ms() + 10;

		if (errno != EAGAIN || addr->sa_family != AF_UNIX)
			return errno;
		if (time_left(deadline) == 0)
			return ETIMEDOUT;
		if (deadline != -1 && deadline < again)
			again = deadline;
		if (sock_wait(-1, 0, again, a->stop_fd, e) < 0)
			return -1;
	}
	return 0;
}

static int connect_end(int fd, int64_t deadline, const struct attempt *a, struct err *e)
{
	int error = 0;
	socklen_t size = sizeof error;
	int ready = sock_wait(fd, POLLOUT, deadline, a->stop_fd, e);

	if (ready <= 0)
		return ready < 0 ? -1 : ETIMEDOUT;
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) < 0)
		return errno;
	return error;
}

static int connect_by(int fd, const struct sockaddr *addr, socklen_t len, int64_t deadline, const struct attempt *a,
	struct err *e)
{
	int error = connect_start(fd, addr, len, deadline, a, e);

	/* An interrupted connect continues by itself; another call would return EALREADY. */
	if (error == EINPROGRESS || error == EINTR)
		error = connect_end(fd, deadline, a, e);
	if (error == 0)
		return 0;
	if (error == -1)
		return -1;
	if (error == ETIMEDOUT && deadline != -1 && time_left(deadline) == 0)
		return err_late(e, DQ_UNAVAILABLE, clock_ms() < a->deadline ? clock_ms() - a->started : a->deadline - a->started);
	return fail_connect(e, addr, error);
}

static int open_address(const struct sockaddr *addr, socklen_t len, int64_t deadline, const struct attempt *a,
	struct err *e)
{
	int on = 1;
	int fd = socket(addr->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0) {
		bool unsupported = errno == EAFNOSUPPORT || errno == EPROTONOSUPPORT;

		return fail_with(e, unsupported ? DQ_UNAVAILABLE : DQ_INTERNAL, strerror(errno));
	}
	if (addr->sa_family != AF_UNIX) {
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
		setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
	}
	if (connect_by(fd, addr, len, deadline, a, e) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

static int open_unix(const struct url *u, const struct attempt *a, struct err *e)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	size_t len = strlen(u->path);

	if (len >= sizeof addr.sun_path)
		return err_set(e, DQ_UNAVAILABLE, "socket path is %zu bytes long, at most %zu are possible", len,
			sizeof addr.sun_path - 1);
	memcpy(addr.sun_path, u->path, len + 1);
	return open_address((const struct sockaddr *)&addr, sizeof addr, a->deadline, a, e);
}

static struct addrinfo *resolve(const struct url *u, struct err *e)
{
	struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV };
	struct addrinfo *list = NULL;
	char port[16];
	int error;

	snprintf(port, sizeof port, "%d", u->server.port);
	error = getaddrinfo(u->server.name, port, &hints, &list);
	if (error != 0 && strcasecmp(u->server.name, "localhost") == 0)
		error = getaddrinfo(NULL, port, &hints, &list); /* RFC 6761 demands this: a container may have no /etc/hosts */
	if (error == 0)
		return list;
	if (error == EAI_MEMORY)
		err_memory(e);
	else
		fail_with(e, DQ_UNAVAILABLE, error == EAI_SYSTEM ? strerror(errno) : gai_strerror(error));
	return NULL;
}

/* share returns a fair part of the time left, because a dead address must not use that of the next. */
static int64_t share(int64_t deadline, int addresses_left)
{
	int64_t now;

	if (deadline == -1)
		return -1;
	now = clock_ms();
	return deadline <= now ? deadline : now + (deadline - now) / addresses_left;
}

/* open_first: the system sorts unreachable addresses to the end, so it reports the first failure. */
static int open_first(const struct addrinfo *list, const struct attempt *a, struct err *e)
{
	const struct addrinfo *ai;
	struct err reported, failed;
	int left = 0, fd;

	err_set(&reported, DQ_UNAVAILABLE, "the host has no address");
	for (ai = list; ai != NULL; ai = ai->ai_next)
		left++;
	for (ai = list; ai != NULL; ai = ai->ai_next, left--) {
		fd = open_address(ai->ai_addr, ai->ai_addrlen, share(a->deadline, left), a, &failed);
		if (fd >= 0)
			return fd;
		if (ai == list || failed.status != DQ_UNAVAILABLE)
			reported = failed;
		if (failed.status != DQ_UNAVAILABLE)
			break;
	}
	*e = reported;
	return -1;
}

static int open_tcp(const struct url *u, const struct attempt *a, struct err *e)
{
	struct addrinfo *list = resolve(u, e);
	int fd;

	if (list == NULL)
		return -1;
	fd = open_first(list, a, e);
	freeaddrinfo(list);
	return fd;
}

int sock_open(const struct url *u, int64_t deadline, int stop_fd, struct err *e)
{
	struct attempt a = { .stop_fd = stop_fd, .started = clock_ms(), .deadline = deadline };

	return u->kind == URL_UNIX ? open_unix(u, &a, e) : open_tcp(u, &a, e);
}
