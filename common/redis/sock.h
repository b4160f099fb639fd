/* sock: opens a stream socket to a URL's host or path. */
#ifndef DQ_SOCK_H
#define DQ_SOCK_H

#include <stdint.h>

#include "base/err.h"
#include "base/wait.h"
#include "redis/url.h"

/* sock_wait polls fd for events (POLLIN, POLLOUT) until deadline (clock_ms; -1 = no deadline), or until stop_fd (-1: none)
 * is readable. 1: fd is ready. 0: the deadline passed. -1: DQ_STOPPED or DQ_INTERNAL. After EINTR it waits for the rest of the time. If
 * several of these are true, stop_fd comes first, then fd, then the deadline. With fd -1 it only sleeps. */
int sock_wait(int fd, short events, int64_t deadline, int stop_fd, struct err *e);

/* sock_wait_for is sock_wait until deadline, with the signal of w, and does what w says meanwhile. */
int sock_wait_for(int fd, short events, int64_t deadline, const struct wait *w, struct err *e);

/* sock_open returns a connected, non-blocking, close-on-exec socket, or -1: DQ_UNAVAILABLE (refused, no such host or
 * socket, timed out; the text names the reason), DQ_STOPPED, DQ_INTERNAL. It tries all addresses of the host in turn, until the deadline
 * (clock_ms). TCP sockets get NODELAY and keep-alive. */
int sock_open(const struct url *u, int64_t deadline, int stop_fd, struct err *e);

#endif
