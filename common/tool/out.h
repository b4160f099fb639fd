/* out: standard output. Every byte is checked; nothing is lost without a word. */
#ifndef DQ_OUT_H
#define DQ_OUT_H

#include <stddef.h>

#include "base/err.h"

/* out_write writes at once, in one write(2) up to PIPE_BUF bytes, which no other writer can come between. Errors: DQ_IO; DQ_STOPPED
 * when a signal came while it was blocked, or when the reader is gone and SIGPIPE was not ignored (stop_signal() is then SIGPIPE, and
 * finish() dies by it as other filters do). */
int out_write(const char *bytes, size_t len, struct err *e);

/* out_write_some also says how many bytes are out, after an error, too. */
int out_write_some(const char *bytes, size_t len, size_t *done, struct err *e);

/* out_format gathers; out_flush writes what was gathered. Memory running out shows at out_flush. */
void out_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
int out_flush(struct err *e);
size_t out_gathered(void);

/* out_failed says that standard output failed, as *e says; nothing where a signal stopped it. Returns e->status. */
enum status out_failed(const struct err *e);

/* out_check looks, without waiting or writing, whether the reader of our pipe is gone: then -1 with the error that out_write
 * would meet; else 1. */
int out_check(struct err *e);

/* out_unread is how many bytes lie in our pipe, not read yet; -1 if standard output is no pipe. */
int out_unread(void);

#endif
