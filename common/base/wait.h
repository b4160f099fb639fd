/* wait: how long an exchange may last, and whether a signal cuts it short. */
#ifndef DQ_WAIT_H
#define DQ_WAIT_H

#include <stdint.h>

struct wait {
	int64_t timeout; /* ms, for each answer */
	int64_t until;   /* clock_ms after which none is awaited, whatever timeout says; 0 = no such time */
	int stop_fd;     /* readable when a signal asked to stop; -1: nothing cuts it short */
};

/* wait_deadline: clock_ms until which an answer is awaited, from now (clock_ms) on. */
int64_t wait_deadline(const struct wait *w, int64_t now);

/* wait_firm is for what must be brought to its end whatever signal comes: as w, but no signal cuts it short, and each answer gets at
 * most ms. */
struct wait wait_firm(const struct wait *w, int64_t ms);

/* wait_brief is wait_firm of which ms are the end of all answers together. */
struct wait wait_brief(const struct wait *w, int64_t ms);

#endif
