/* progress: one line on stderr for work that takes longer than a second, if stderr is a terminal: how much is done, how fast, and
 * where the input's size is known, how long it will take. It is no message, so -q leaves it; and it gives way to output on the
 * same terminal (warn_line_hide). */
#ifndef DQ_PROGRESS_H
#define DQ_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
	const char *word;      /* "put": what is done to messages */
	bool on;
	int64_t started, next; /* clock_ms: the beginning, and when to show something next */
	int64_t size;          /* of the input in bytes, 0 = unknown */
};

/* progress_start: input_fd: if it is a regular file its rest is the size; -1 = none. */
void progress_start(struct progress *p, const char *word, int input_fd);

/* progress_tick may be called as often as one likes: it looks at the clock now and then. bytes: read of the input so far. */
void progress_tick(struct progress *p, int64_t done, int64_t bytes);

/* progress_end removes the line. */
void progress_end(struct progress *p);

#endif
