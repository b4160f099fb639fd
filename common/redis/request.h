/* request: how a command is written: the protocol's array of bulk strings. hiredis 0.14.1 could write it, too, but dies of
 * a failed allocation there. */
#ifndef DQ_REQUEST_H
#define DQ_REQUEST_H

#include "base/buf.h"

/* request_add appends a command, whole or (-1: memory) not at all. */
int request_add(struct buf *out, int argc, const char *const argv[], const size_t lens[]);

#endif
