/* sock: opens a stream socket to a URL's host or path. */
#ifndef DQ_SOCK_H
#define DQ_SOCK_H

#include <stdint.h>

#include "base/err.h"
#include "redis/url.h"

/* sock_wait polls fd for events (POLLIN, POLLOUT) until deadline (clock_ms; -1 = no deadline), or until stop_fd (-1: none)
 * is readable. Returns 1 ready, 0 the deadline passed, -1 with DQ_STOPPED or DQ_INTERNAL. EINTR is retried with what
 * is left of the time. Readiness of fd is preferred over the deadline, stop over both. fd may be -1: a pure sleep. */
int sock_wait(int fd, short events, int64_t deadline, int stop_fd, struct err *e);

/* sock_open returns a connected, non-blocking, close-on-exec socket, or -1: DQ_UNAVAILABLE (refused, no such host or
 * socket, timed out; the text names the reason), DQ_STOPPED, DQ_INTERNAL. Each address of the host is tried in turn
 * within the one deadline (clock_ms). TCP gets NODELAY and keep-alive; never keep-alive on a unix socket. */
int sock_open(const struct url *u, int64_t deadline, int stop_fd, struct err *e);

#endif
