/* out: standard output. Every write is checked, so no byte is lost without an error. */
#ifndef DQ_OUT_H
#define DQ_OUT_H

#include <stddef.h>

#include "base/err.h"

/* out_write writes at once. Up to PIPE_BUF bytes are one write(2), so bytes of other writers cannot be between them. Errors: DQ_IO;
 * DQ_STOPPED if a signal came while it was blocked, or if the reader is gone and SIGPIPE was not ignored. Then stop_signal() is SIGPIPE,
 * and finish() dies by it, as other filters do. */
int out_write(const char *bytes, size_t len, struct err *e);

/* out_write_some also sets *done to the number of bytes that were written, after an error, too. */
int out_write_some(const char *bytes, size_t len, size_t *done, struct err *e);

/* out_format adds to a buffer; out_flush writes it. If memory runs out, out_flush fails. out_gathered: bytes in the buffer. */
void out_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
int out_flush(struct err *e);
size_t out_gathered(void);

/* out_failed reports *e, an error of standard output, unless a signal stopped it. Returns e->status. */
enum status out_failed(const struct err *e);

/* out_check checks, without waiting or writing, whether the reader of our pipe is gone. -1: it is; the error is that of out_write. 1: it is
 * not. */
int out_check(struct err *e);

/* out_unread: the bytes in our pipe that are not read yet; -1: standard output is no pipe. */
int out_unread(void);

#endif
