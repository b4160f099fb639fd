/* die: the only file that ends the process. */
#ifndef DQ_DIE_H
#define DQ_DIE_H

#include "base/err.h"
#include "tool/diag.h"

/* die prints a line (diag.h), and ends the tool as finish does. */
void die(enum status status, const char *format, ...)
	__attribute__((format(printf, 2, 3), noreturn));

/* die_usage is die(DQ_USAGE) with a hint to --help. */
void die_usage(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/* worse returns the greater status: that of a tool with several operands. */
enum status worse(enum status a, enum status b);

/* finish writes the rest of standard output, checks that, and ends the tool. status: an enum
 * status, or one that only this tool has. If a signal asked the tool to end, the process dies by
 * this signal, as its parent expects. */
void finish(int status) __attribute__((noreturn));

#endif
