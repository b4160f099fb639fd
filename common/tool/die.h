/* die: the only file that writes stderr or ends the process. Every line is "tool: " and what the caller says, which is
 * "object: what: why" with foreign bytes escaped (text_shown; struct err texts are so already). */
#ifndef DQ_DIE_H
#define DQ_DIE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* die_tool names the tool, before anything else. */
void die_tool(const char *name);
const char *die_tool_name(void);

void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A line that is written over and over, on a terminal only (warn_line_possible); any warn takes it away first. */
int warn_line_possible(void);
void warn_line(const char *format, ...) __attribute__((format(printf, 1, 2)));
void warn_line_end(void);

/* warn_line_hide takes it away while something is written to standard output, if that is a terminal; warn_line_show brings it
 * back. Nothing happens where there is no such line. */
void warn_line_hide(void);
void warn_line_show(void);

/* warn_patience: whoever has leases to renew cannot wait for a reader of stderr that has stopped. From now on what is not taken
 * within ms is dropped, and the next line says so. warn_ready: would a write of up to 4096 bytes not wait? */
void warn_patience(int ms);
bool warn_ready(void);

/* warn_through passes on what a child wrote to its stderr. */
void warn_through(const char *bytes, size_t len);
void die(enum status status, const char *format, ...) __attribute__((format(printf, 2, 3), noreturn));

/* die_usage is die(DQ_USAGE) with a hint at --help. */
void die_usage(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/* worse returns the greater status: what many operands end with. */
enum status worse(enum status a, enum status b);

/* finish ends the tool: what is left of stdout is written and checked; after a signal asked to stop, the process dies by that
 * very signal, as its parent expects. */
void finish(enum status status) __attribute__((noreturn));

#endif
