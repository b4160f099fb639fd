/* fake: a connection for fuzz_reply, in place of conn.c, sock.c, session.c and place.c of
 * common/redis. It drops requests, and hiredis reads replies from a text. Nothing waits, and the
 * clock is a counter. */
#ifndef DQ_FUZZ_FAKE_H
#define DQ_FUZZ_FAKE_H

#include <stddef.h>

#include "redis/exchange.h"

/* fake_open makes x an exchange with a server that says these bytes. In them a line "~" is
 * where the connection is lost; it can be opened again as long as bytes are left. The
 * bytes are borrowed. */
void fake_open(struct exchange *x, const char *bytes, size_t len);

#endif
