/* sock: opens a stream socket to a URL's host or path. */
#ifndef DQ_SOCK_H
#define DQ_SOCK_H

#include <stdint.h>

#include "base/err.h"
#include "redis/sock_wait.h"
#include "redis/url.h"

/* sock_open returns a connected, non-blocking, close-on-exec socket, or -1: DQ_UNAVAILABLE (refused, no such host or
 * socket, timed out; the text names the reason), DQ_STOPPED, DQ_INTERNAL. It tries all addresses of the host in turn, until the deadline
 * (clock_ms). TCP sockets get NODELAY and keep-alive. patience: see lookup.h. */
int sock_open(const struct url *u, int64_t deadline, int64_t patience, int stop_fd, struct err *e);

#endif
