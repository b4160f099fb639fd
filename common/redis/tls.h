/* tls: TLS under a connection. OpenSSL is used by a shared object (tls/openssl.c), which only a TLS
 * URL loads: linked to every tool it would add 0.75 ms to each start. The TLS of hiredis is not
 * used, because it never verifies host names; so any version of hiredis will do. */
#ifndef DQ_TLS_H
#define DQ_TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/wait.h"
#include "redis/tls_ops.h"

struct tls;

/* tls_open does the handshake on fd, a connected non-blocking socket, until wait->until. The caller
 * still closes fd. The server's certificate must be for host, a name or an address. NULL: DQ_CONFIG
 * (TLS is not built in, or its library is not found; a file of conf; a certificate; a peer without
 * TLS), DQ_UNAVAILABLE (lost, or timed out), DQ_STOPPED, DQ_TEMPORARY (memory). */
struct tls *tls_open(int fd, const char *host, const struct tls_conf *conf, const struct wait *wait,
		     struct err *e);

/* tls_read and tls_write are recv and send without waiting. errno is EAGAIN if they would have to
 * wait, and EPROTO if tls_why has the reason. size of tls_read is at least TLS_RECORD: it returns
 * whole records, because poll does not see bytes that OpenSSL has read. After EAGAIN, tls_write
 * needs the same bytes again, and perhaps more after them. */
#define TLS_RECORD 16384
ssize_t tls_read(struct tls *t, void *bytes, size_t size);
ssize_t tls_write(struct tls *t, const void *bytes, size_t size);

/* tls_events: what to poll the socket for, with or without bytes to write. TLS may have to read
 * before it can write, and the other way round; a poll for the wrong event would return at once.
 * Call it right after a tls_write that could not write all. */
short tls_events(const struct tls *t, bool writing);

/* After EPROTO: tls_refused: did the peer refuse the handshake,
 * so that it has read nothing that was written? */
bool tls_refused(const struct tls *t);
const char *tls_why(const struct tls *t);
void tls_close(struct tls *t);

/* tls_built: does this build have TLS? */
bool tls_built(void);

/* tls_load loads the library. DQ_CONFIG: there is none. */
int tls_load(struct err *e);

#endif
