#include "redis/sock_wait.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>

#include "base/clock.h"

int sock_time_left(int64_t deadline)
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
		struct pollfd p[3] = {{.fd = fd, .events = events},
				      {.fd = w->stop_fd, .events = POLLIN},
				      {.fd = m ? m->fd : -1, .events = POLLIN}};
		int n;

		deadline = wait_limit(w, deadline);
		n = poll(p, m ? 3 : 2, sock_time_left(deadline));
		if (n < 0 && errno != EINTR && errno != EAGAIN)
			return err_set(e, DQ_INTERNAL, "poll: %s", strerror(errno));
		if (n > 0 && p[1].revents != 0)
			return err_set(e, DQ_STOPPED, "stopped");
		if (n > 0 && p[0].revents != 0)
			return 1;
		if (n > 0 && m && p[2].revents != 0)
			m->ready(m);
		if (n == 0 && sock_time_left(deadline) == 0)
			return 0;
	}
}

int sock_wait(int fd, short events, int64_t deadline, int stop_fd, struct err *e)
{
	return sock_wait_for(fd, events, deadline, &(struct wait){.stop_fd = stop_fd}, e);
}
