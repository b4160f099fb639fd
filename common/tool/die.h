/* die: the only file that ends the process. */
#ifndef DQ_DIE_H
#define DQ_DIE_H

#include "base/err.h"
#include "tool/diag.h"

/* die says a line (diag.h), and ends as finish does. */
void die(enum status status, const char *format, ...) __attribute__((format(printf, 2, 3), noreturn));

/* die_usage is die(DQ_USAGE) with a hint at --help. */
void die_usage(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/* worse returns the greater status: what many operands end with. */
enum status worse(enum status a, enum status b);

/* finish ends the tool: what is left of stdout is written and checked; after a signal asked to stop, the process dies by that
 * very signal, as its parent expects. */
void finish(enum status status) __attribute__((noreturn));

#endif
