/* input: cuts a stream into records at one delimiter byte, with a limit on their size. The idea is
 * that of kcat's input.c. */
#ifndef DQ_INPUT_H
#define DQ_INPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/wait.h"

#define INPUT_AHEAD 65536

struct input {
	int fd;         /* read from; not closed here */
	int stop_fd;    /* becomes readable when a signal asked to stop; -1: none */
	int delimiter;  /* a byte; -1: the whole stream is one record */
	size_t limit;   /* bytes in a record */
	bool finished;  /* the last record was returned, and has no delimiter: its producer may have
	                 * died within it */
	struct buf buf; /* private from here on */
	size_t start;   /* of the next record within buf */
	size_t scanned; /* bytes after start that hold no delimiter */
	size_t taken;   /* records since the last read */
	bool drained;   /* that read got all bytes that were there, and no more have come,
	                 * as far as known */
	bool file;      /* a read of it never waits */
	bool skipping;  /* within a record over the limit */
	bool ended;
	struct err failure; /* of a read, until input_next has reported it; DQ_DONE: none */
};

enum input_got { INPUT_ERROR = -1, INPUT_END = 0, INPUT_RECORD = 1, INPUT_TOO_LONG = 2 };

void input_init(struct input *in, int fd, int stop_fd, int delimiter, size_t limit);

/* input_next waits for the next record. INPUT_RECORD: *record points into the buffer until the next
 * call, and does not include the delimiter. A last record without delimiter counts, and sets
 * in->finished; an empty rest after the last delimiter does not. With delimiter -1 an empty stream
 * is one empty record, once. INPUT_TOO_LONG: a record over the limit was skipped up to its
 * delimiter, in bounded memory. INPUT_ERROR: DQ_IO, DQ_INTERNAL (memory), or DQ_STOPPED. It reads
 * again after EINTR, and never while a whole record is buffered. */
enum input_got input_next(struct input *in, char **record, size_t *len, struct err *e);

/* input_waits: would input_next have to wait for the producer now? That is so if no whole record is
 * buffered, the stream has not ended, and poll finds nothing to read; what it finds is read here,
 * so a record of input_next is invalid afterwards. After a few records that came together from a
 * pipe it does not poll: then more records can come while these are sent, and are read together.
 * dq-put sends its batches before it waits. */
bool input_waits(struct input *in);

/* input_idle calls before_wait while input_waits: once; again at *until, if before_wait sets that
 * (clock_ms) and no whole record has come, or when a part of one comes. -1: before_wait returned
 * less than 0. While before_wait waits, meanwhile reads what comes, up to INPUT_AHEAD bytes: so the
 * producer goes on, and those records are sent together. */
int input_idle(struct input *in,
	       int (*before_wait)(void *ctx, struct meanwhile *meanwhile, int64_t *until),
	       void *ctx);

void input_free(struct input *in);

#endif
