/* lookup: asks the system for the addresses of a host. The system has no time limit for that, and
 * no signal ends it. So a thread asks, and the caller waits for the thread. */
#ifndef DQ_LOOKUP_H
#define DQ_LOOKUP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "redis/url_hosts.h"

struct addrinfo;

/* How long to wait for a lookup. */
struct lookup_limit {
	int64_t deadline; /* clock_ms; -1: none */
	int64_t allowed;  /* ms until the deadline when it was set, for the message */
	int64_t patience; /* ms since the lookup began, if that is sooner; 0: no such limit */
	int stop_fd;      /* readable when a signal asked to stop; -1: none */
};

/* lookup returns the addresses of that host, which the caller frees (freeaddrinfo).
 * NULL: DQ_UNAVAILABLE (unknown host, timed out), DQ_STOPPED, DQ_TEMPORARY (memory). After a
 * time-out or a signal the thread goes on, and the next lookup of the host takes over its
 * result. So each host has at most one thread, and there are at most LOOKUPS_MAX. An IP address
 * needs no thread. */
#define LOOKUPS_MAX 32
struct addrinfo *lookup(const struct url_host *host, const struct lookup_limit *limit,
			struct err *e);

/* lookup_goes_on: is that host being looked up, for less than ms? */
bool lookup_goes_on(const struct url_host *host, int64_t ms);

#endif
