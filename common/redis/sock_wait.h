/* sock_wait: waits for a descriptor, a time or a signal. */
#ifndef DQ_SOCK_WAIT_H
#define DQ_SOCK_WAIT_H

#include <stdint.h>

#include "base/err.h"
#include "base/wait.h"

/* sock_wait polls fd for events (POLLIN, POLLOUT) until deadline (clock_ms; -1 = no deadline), or
 * until stop_fd (-1: none) is readable. 1: fd is ready. 0: the deadline passed. -1: DQ_STOPPED or
 * DQ_INTERNAL. After EINTR it waits for the rest of the time. If several of these are true, stop_fd
 * comes first, then fd, then the deadline. With fd -1 it only sleeps. */
int sock_wait(int fd, short events, int64_t deadline, int stop_fd, struct err *e);

/* sock_wait_for is sock_wait until deadline, with the signal of w. It does what w says meanwhile,
 * which may bring the deadline nearer. */
int sock_wait_for(int fd, short events, int64_t deadline, const struct wait *w, struct err *e);

/* sock_time_left: ms until deadline (clock_ms), as poll(2) takes them: -1 if there is none,
 * 0 if it has passed. */
int sock_time_left(int64_t deadline);

#endif
