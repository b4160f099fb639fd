/* payload: the standard input of a command. The command gets all of it, even if this tool is
 * killed: a pipe that holds it, or a file in memory. */
#ifndef DQ_PAYLOAD_H
#define DQ_PAYLOAD_H

#include "base/buf.h"

struct payload {
	int pipe;        /* write end of a pipe that does not hold it, non-blocking;
	                  * -1 = nothing is left to write */
	struct buf rest; /* what the pipe has not taken at the beginning, */
	size_t written;  /* and how much of that since */
};

/* payload_open makes a descriptor from which the len bytes can be read; the caller closes it. The
 * bytes are borrowed. Returns 0, or an errno; EFBIG: they exceed the limit of file sizes. Only if
 * the system has no files in memory, or no memory for one, the pipe may not hold all; then
 * payload_feed must be called while the pipe is writable. */
int payload_open(struct payload *p, const char *bytes, size_t len, int *in);

/* payload_feed writes what the pipe takes; it is no error if a command does not read all of it. */
void payload_feed(struct payload *p);
void payload_free(struct payload *p);

#endif
