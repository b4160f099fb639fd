#include "redis/sock.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "redis/lookup.h"

/* The limits of one attempt to open: signals and the time. */
struct attempt {
	const struct wait *wait; /* its times do not count */
	int64_t patience; /* ms, for the lookup of the host (lookup.h) */
	int64_t started;
	int64_t deadline; /* of the whole attempt */
};

/* allowed: ms for the whole attempt, as they are said. What is left of them at some moment is a ms
 * less, now and then. */
static int64_t allowed(const struct attempt *a)
{
	return a->wait->timeout > 0 ? a->wait->timeout : a->deadline - a->started;
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
	return err_set(e, DQ_UNAVAILABLE, "no such socket: %s",
		       text_shown(shown, sizeof shown, path, strlen(path)));
}

/* connect_start: a unix socket with a full backlog returns EAGAIN and is not in progress;
 * only another call helps. */
static int connect_start(int fd, const struct sockaddr *addr, socklen_t len, int64_t deadline,
			 const struct attempt *a, struct err *e)
{
	while (connect(fd, addr, len) < 0) {
		int64_t again = clock_ms() + 10;

		if (errno != EAGAIN || addr->sa_family != AF_UNIX)
			return errno;
		deadline = wait_limit(a->wait, deadline);
		if (sock_time_left(deadline) == 0)
			return ETIMEDOUT;
		if (deadline != -1 && deadline < again)
			again = deadline;
		if (sock_wait_for(-1, 0, again, a->wait, e) < 0)
			return -1;
	}
	return 0;
}

static int connect_end(int fd, int64_t deadline, const struct attempt *a, struct err *e)
{
	int error = 0;
	socklen_t size = sizeof error;
	int ready = sock_wait_for(fd, POLLOUT, deadline, a->wait, e);

	if (ready <= 0)
		return ready < 0 ? -1 : ETIMEDOUT;
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) < 0)
		return errno;
	return error;
}

static int connect_by(int fd, const struct sockaddr *addr, socklen_t len, int64_t deadline,
		      const struct attempt *a, struct err *e)
{
	int error = connect_start(fd, addr, len, deadline, a, e);

	/* An interrupted connect continues by itself; another call would return EALREADY. */
	if (error == EINPROGRESS || error == EINTR)
		error = connect_end(fd, deadline, a, e);
	if (error == 0)
		return 0;
	if (error == -1)
		return -1;
	if (error == ETIMEDOUT && deadline != -1 && sock_time_left(deadline) == 0)
		return err_late(e, DQ_UNAVAILABLE,
				clock_ms() < a->deadline ? clock_ms() - a->started : allowed(a));
	return fail_connect(e, addr, error);
}

/* no_socket: there may be a descriptor, or memory, soon. */
static int no_socket(struct err *e, int error)
{
	bool unsupported = error == EAFNOSUPPORT || error == EPROTONOSUPPORT;
	bool no_room = error == EMFILE || error == ENFILE || error == ENOMEM || error == ENOBUFS;

	return fail_with(e,
			 unsupported ? DQ_UNAVAILABLE :
			 no_room     ? DQ_TEMPORARY :
				       DQ_INTERNAL,
			 strerror(error));
}

static int open_address(const struct sockaddr *addr, socklen_t len, int64_t deadline,
			const struct attempt *a, struct err *e)
{
	int on = 1;
	int fd = socket(addr->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return no_socket(e, errno);
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
		return err_set(e, DQ_UNAVAILABLE,
			       "socket path is %zu bytes long, at most %zu are possible", len,
			       sizeof addr.sun_path - 1);
	memcpy(addr.sun_path, u->path, len + 1);
	return open_address((const struct sockaddr *)&addr, sizeof addr, a->deadline, a, e);
}

/* share returns a fair part of the time left, because a dead address must not use that
 * of the next. */
static int64_t share(int64_t deadline, int addresses_left)
{
	int64_t now;

	if (deadline == -1)
		return -1;
	now = clock_ms();
	return deadline <= now ? deadline : now + (deadline - now) / addresses_left;
}

/* getaddrinfo's flags are of no use in its result: an address is late (sock.h), or to be tried in
 * this round. */
enum { IS_LATE = 1, IN_ROUND = 2 };

static struct addrinfo *in_round(const struct sock_addresses *all, struct addrinfo *ai)
{
	while (ai && all->late_only && !(ai->ai_flags & IN_ROUND))
		ai = ai->ai_next;
	return ai;
}

/* open_first: the system sorts unreachable addresses to the end,
 * so it reports the first failure. */
static int open_first(struct sock_addresses *all, const struct attempt *a, struct err *e)
{
	struct addrinfo *ai;
	struct err reported, failed;
	int fd, first = all->left;

	err_set(&reported, DQ_UNAVAILABLE, "the host has no address");
	while ((ai = all->next) != NULL) {
		int left = all->left--;
		int64_t until = share(a->deadline, left);
		all->next = in_round(all, ai->ai_next);
		all->at = ai;
		fd = open_address(ai->ai_addr, ai->ai_addrlen, until, a, &failed);
		if (fd >= 0)
			return fd;
		if (failed.status == DQ_UNAVAILABLE && sock_time_left(until) == 0)
			sock_addresses_note_late(all);
		if (left == first || failed.status != DQ_UNAVAILABLE)
			reported = failed;
		if (failed.status != DQ_UNAVAILABLE)
			break;
	}
	*e = reported;
	return -1;
}

static int open_tcp(const struct url *u, struct sock_addresses *all, const struct attempt *a,
		    struct err *e)
{
	const struct lookup_limit limit = {.deadline = a->deadline, .allowed = allowed(a),
					   .patience = a->patience, .stop_fd = a->wait->stop_fd};

	if (all->list == NULL) {
		all->list = lookup(&u->server, &limit, e);
		if (all->list == NULL)
			return -1;
		sock_addresses_again(all);
	}
	return open_first(all, a, e);
}

void sock_addresses_again(struct sock_addresses *all)
{
	all->next = all->list;
	all->late_only = false;
	all->left = 0;
	for (struct addrinfo *ai = all->list; ai != NULL; ai = ai->ai_next) {
		ai->ai_flags = 0;
		all->left++;
	}
	all->count = all->left;
}

void sock_addresses_note_late(struct sock_addresses *all)
{
	if (all->at)
		all->at->ai_flags |= IS_LATE;
}

int sock_addresses_late(struct sock_addresses *all)
{
	all->late_only = true;
	all->left = 0;
	for (struct addrinfo *ai = all->list; ai != NULL; ai = ai->ai_next) {
		ai->ai_flags = ai->ai_flags & IS_LATE ? IN_ROUND : 0;
		all->left += ai->ai_flags != 0;
	}
	all->next = in_round(all, all->list);
	return all->left;
}

void sock_addresses_free(struct sock_addresses *all)
{
	if (all->list != NULL)
		freeaddrinfo(all->list);
	all->list = all->next = all->at = NULL;
}

int sock_open(const struct url *u, struct sock_addresses *all, int64_t deadline, int64_t patience,
	      const struct wait *wait, struct err *e)
{
	struct attempt a = {.wait = wait, .patience = patience, .started = clock_ms(),
			    .deadline = deadline};

	return u->kind == URL_UNIX ? open_unix(u, &a, e) : open_tcp(u, all, &a, e);
}
