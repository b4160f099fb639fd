/* diag: the only file that writes stderr. Every line is "tool: " and what the caller says, which is
 * "object: what: why". Foreign bytes on which a terminal might act are escaped here; callers also
 * escape backslashes in them (text_shown; struct err texts are so already). */
#ifndef DQ_DIAG_H
#define DQ_DIAG_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* diag_tool names the tool, before anything else. */
void diag_tool(const char *name);
const char *diag_tool_name(void);

void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
void vwarn(const char *format, va_list args) __attribute__((format(printf, 1, 0)));

/* A line that is written over and over, on a terminal only (warn_line_possible);
 * any warn removes it first. */
int warn_line_possible(void);
void warn_line(const char *format, ...) __attribute__((format(printf, 1, 2)));
void warn_line_end(void);

/* warn_line_hide removes the line while the tool writes to standard output, if that is a terminal;
 * warn_line_show restores it. Without such a line they do nothing. */
void warn_line_hide(void);
void warn_line_show(void);

/* warn_write_wait: a tool that renews leases cannot wait for a stopped reader of stderr. From now
 * on a write that waits for ms is dropped, and the next line reports that. */
void warn_write_wait(int ms);

/* warn_ready: can stderr take 4096 bytes at once? */
bool warn_ready(void);

/* warn_through passes on the stderr of a child. */
void warn_through(const char *bytes, size_t len);

#endif
