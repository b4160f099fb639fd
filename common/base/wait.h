/* wait: how long an exchange may last, and whether a signal ends it early. */
#ifndef DQ_WAIT_H
#define DQ_WAIT_H

#include <stdint.h>

/* What a tool does meanwhile: ready() is called whenever fd is readable. It reads, and sets fd to
 * -1 when it wants no more. It may set a deadline for the exchange under way. */
struct meanwhile {
	int fd;
	void (*ready)(struct meanwhile *m);
	void *ctx;
	int64_t until; /* clock_ms: deadline for all replies, whatever struct wait says; 0 = none */
};

struct wait {
	int64_t timeout; /* ms, for each answer */
	int64_t until;   /* clock_ms: deadline for all replies, whatever timeout says; 0 = none */
	int stop_fd;     /* readable when a signal asked to stop; -1: no signal ends the exchange */
	struct meanwhile *meanwhile; /* NULL: nothing */
};

/* wait_limit: that deadline (clock_ms; -1 = none), or the nearer one that was set meanwhile. */
int64_t wait_limit(const struct wait *w, int64_t deadline);

/* wait_deadline: the deadline (clock_ms) for a reply, from now (clock_ms) on. */
int64_t wait_deadline(const struct wait *w, int64_t now);

/* wait_firm: for exchanges that no signal may end early. As w, but without stop_fd, and each reply
 * gets at most ms. */
struct wait wait_firm(const struct wait *w, int64_t ms);

/* wait_brief is wait_firm, but all replies together get at most ms. */
struct wait wait_brief(const struct wait *w, int64_t ms);

#endif
