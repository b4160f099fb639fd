/* sock: opens a stream socket to a URL's host or path. */
#ifndef DQ_SOCK_H
#define DQ_SOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "redis/sock_wait.h"
#include "redis/url.h"

struct addrinfo;

/* The addresses of a host. Zero-initialise, and free at the end. */
struct sock_addresses {
	struct addrinfo *list, *next; /* next: to be tried next; NULL: all were tried,
	                               * or none was looked up yet */
	struct addrinfo *at;          /* the one that was tried last */
	int count, left;              /* of list; from next on */
	bool late_only;               /* only those that are noted as late are tried */
};

/* sock_open returns a connected, non-blocking, close-on-exec socket, or -1: DQ_UNAVAILABLE
 * (refused, no such host or socket, timed out; the text names the reason), DQ_TEMPORARY (no
 * descriptor, no memory), DQ_STOPPED, DQ_INTERNAL. It tries all addresses of the host in turn,
 * until the deadline (clock_ms): from all->next on, if they were looked up before. TCP sockets get
 * NODELAY and keep-alive. patience: see lookup.h. Of wait only the signal and what is done
 * meanwhile count; the lookup does nothing meanwhile. */
int sock_open(const struct url *u, struct sock_addresses *all, int64_t deadline, int64_t patience,
	      const struct wait *wait, struct err *e);

/* sock_addresses_again begins with the first one. */
void sock_addresses_again(struct sock_addresses *all);

/* sock_addresses_note_late: the one that was tried last did not fail: it did not answer within its
 * share of the time. sock_addresses_late begins again with those that were noted, and forgets the
 * notes. Returns how many they are. */
void sock_addresses_note_late(struct sock_addresses *all);
int sock_addresses_late(struct sock_addresses *all);
void sock_addresses_free(struct sock_addresses *all);

#endif
