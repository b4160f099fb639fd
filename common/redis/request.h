/* request: writes a command as an array of bulk strings. hiredis 0.14.1 could write it too, but
 * crashes after a failed allocation there. */
#ifndef DQ_REQUEST_H
#define DQ_REQUEST_H

#include "base/buf.h"

/* request_add appends a whole command; or nothing, and returns -1: out of memory. */
int request_add(struct buf *out, int argc, const char *const argv[], const size_t lens[]);

#endif
