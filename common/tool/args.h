/* args: the operands of a tool or, if there are none, the lines of standard input; the operand "-"
 * means standard input, too. Only the first TAB-separated field of a line or an operand counts, so
 * a tool accepts what another one prints. A last line without newline is refused: it may be cut. */
#ifndef DQ_ARGS_H
#define DQ_ARGS_H

#include <stddef.h>

#include "base/err.h"
#include "tool/input.h"

/* each gets one word; bad is the status if this word is invalid: DQ_USAGE for an operand,
 * DQ_DATA for a line. before_wait, if not NULL, is called before the loop waits for more
 * input, as in input_idle. Both keep the status of a failure themselves, and return less than
 * 0 to end the loop. */
struct args {
	int (*each)(void *ctx, const char *word, size_t len, enum status bad);
	int (*before_wait)(void *ctx, struct meanwhile *meanwhile, int64_t *until);
	void *ctx;
	/* "names": what the tool reads, for the line that it reads from the terminal;
	 * NULL: no such line */
	const char *words;
	int stop_fd;
};

/* args_each returns the worst status of standard input itself. argv ends with NULL. */
enum status args_each(const struct args *a, char **argv);

#endif
