/* out: standard output. Every write is checked, so no byte is lost without an error. */
#ifndef DQ_OUT_H
#define DQ_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

/* out_write writes at once. Up to PIPE_BUF bytes are one write(2), so bytes of other writers cannot
 * be between them. Errors: DQ_IO; DQ_STOPPED if a signal came while it was blocked, or if the
 * reader is gone and SIGPIPE was not ignored. Then stop_signal() is SIGPIPE, and finish() dies by
 * it, as other filters do. */
int out_write(const char *bytes, size_t len, struct err *e);

/* out_write_by also sets *done to the number of bytes that were written, after an error, too.
 * If it must wait for room, it waits until until_us (clock_us; -1: without end): then the
 * error is DQ_TEMPORARY. */
int out_write_by(int64_t until_us, const char *bytes, size_t len, size_t *done, struct err *e);

/* out_some writes as much as fits, never waits, and reports nothing. -1: errno has the reason;
 * EAGAIN: nothing fits now. */
ssize_t out_some(const char *bytes, size_t len);

/* out_room waits until a write has room, or until_us (clock_us; -1 = never; 0 = it only looks)
 * has come. 1: a write would not wait. 0: the time has come. -1: DQ_STOPPED. Another writer may
 * take the room. */
int out_room(int64_t until_us, struct err *e);

/* out_format adds to a buffer; out_flush writes it. If memory runs out, out_flush fails.
 * out_gathered: bytes in the buffer. */
void out_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
int out_flush(struct err *e);
size_t out_gathered(void);

/* out_failed reports *e, an error of standard output, unless a signal stopped it.
 * Returns e->status. */
enum status out_failed(const struct err *e);

/* out_check checks, without waiting or writing, whether the reader of our pipe is gone. -1: it is;
 * the error is that of out_write. 1: it is not. */
int out_check(struct err *e);

/* out_has_reader: is standard output a pipe or a socket of this host? Only then is it known
 * what is read. */
bool out_has_reader(void);

/* out_await waits until all that this process wrote is read, or until_us (clock_us; -1 = never) has
 * come. Other writers may go on: if they keep the pipe full for a second, nobody can see how much
 * is read, and it waits for room instead. 1: it is read, or there is no reader to know of. 0: the
 * time has come. -1: DQ_STOPPED, or the error of out_check. Nothing reports that a pipe was read,
 * so it looks: often at first, then some 200 times a second, and after seconds 20 times. */
int out_await(int64_t until_us, struct err *e);

#endif
