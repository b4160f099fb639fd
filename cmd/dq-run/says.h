/* says: the pipe that is descriptor 3 of a command: keeps the last line with a verdict and those
 * behind it, however much the command writes. */
#ifndef DQ_SAYS_H
#define DQ_SAYS_H

#include <stdbool.h>
#include <stddef.h>

#include "message/said.h"

struct says {
	int fd;            /* read end, non-blocking; -1 = closed */
	int kept;          /* write end; -1: only the command has one */
	size_t last_len;
	size_t len;        /* of the line that is arriving: what is kept of it */
	bool any;          /* something was said: last */
	bool verdict;      /* it begins with a verb */
	bool changed;      /* the line of a verdict before it was done, and this one is not */
	char last[SAID_LINE_MAX];
	char line[SAID_LINE_MAX];
};

/* says_start: nothing was written yet. */
void says_start(struct says *s, int fd);

/* says_drain reads some of what has arrived. says_end reads what is there at this moment, ends the
 * last line if no LF does, and closes the pipe: who writes later gets EPIPE, so what a command left
 * behind cannot end its delivery. says_forget closes it, and nothing was said. */
void says_drain(struct says *s);
void says_end(struct says *s);
void says_forget(struct says *s);

#endif
