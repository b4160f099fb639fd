/* progress: one line on standard error, if it is a terminal, for work that takes longer than
 * a second: how much is done, how fast and, if the size of the input is known, how long it
 * will take. -q does not silence it, because it is no message. Output to the same terminal
 * hides it (warn_line_hide). */
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

/* progress_start: if input_fd is a regular file, the rest of it is the size; -1 = no input. */
void progress_start(struct progress *p, const char *word, int input_fd);

/* progress_tick is cheap: call it after each message. bytes: how many were read of the input. */
void progress_tick(struct progress *p, int64_t done, int64_t bytes);

/* progress_end removes the line. */
void progress_end(struct progress *p);

#endif
