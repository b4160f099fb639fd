/* tail: the end of what a command writes to its standard error: its last lines,
 * as the reason of a failure. */
#ifndef DQ_TAIL_H
#define DQ_TAIL_H

#include <stddef.h>

#include "message/settle.h"

/* so a line is moved only once in a while, however many come */
#define TAIL_ROOM (4 * (size_t)(SETTLE_REASON_MAX + 1))

struct tail {
	size_t len;      /* of text: whole lines, with an LF between two */
	size_t line_len; /* of the line that is arriving; one more than SETTLE_REASON_MAX:
	                  * it is longer */
	char text[TAIL_ROOM + 1];
	char line[SETTLE_REASON_MAX];
};

/* tail_start: nothing was written yet. */
void tail_start(struct tail *t);

/* tail_add reads what has arrived. It skips blank lines, and keeps the beginning of a line of over
 * SETTLE_REASON_MAX bytes. A NUL becomes a blank. */
void tail_add(struct tail *t, const char *bytes, size_t len);

/* tail_end: nothing more comes. From now on text ends with a NUL, and has the last lines that fit
 * in SETTLE_REASON_MAX bytes, without the indentation of the first one. Again: nothing changes.
 * tail_set: text is this one. */
void tail_end(struct tail *t);
void tail_set(struct tail *t, const char *text);

#endif
