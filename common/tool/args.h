/* args: what a tool works on: its operands or, with none, the lines of standard input. "-" among operands is standard
 * input too. Of a line, and of an operand, the first TAB-separated field counts, so that what one tool prints another accepts. */
#ifndef DQ_ARGS_H
#define DQ_ARGS_H

#include <stddef.h>

#include "base/err.h"
#include "tool/input.h"

/* each: bad is the status of a word that is not what it should be: DQ_USAGE for an operand, DQ_DATA for a line. before_wait, if not
 * NULL, is called before the loop waits for more input. Both keep the status of what fails, and return less than 0 to end the
 * loop. */
struct args {
	int (*each)(void *ctx, const char *word, size_t len, enum status bad);
	int (*before_wait)(void *ctx);
	void *ctx;
	const char *words; /* what they are called to a user who gave none, at a terminal; NULL: say nothing */
	int stop_fd;
};

/* args_each returns the worst status of standard input itself. argv ends with NULL. */
enum status args_each(const struct args *a, char **argv);

#endif
