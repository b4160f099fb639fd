/* tls_ops: what the shared object for TLS offers.
 * Nothing of it needs a symbol of the tool that loads it. */
#ifndef DQ_TLS_OPS_H
#define DQ_TLS_OPS_H

#include <stdbool.h>
#include <stddef.h>

#define TLS_WHY_MAX 200 /* bytes of a sentence, with its NUL */

/* Files in PEM; NULL: none. Borrowed. */
struct tls_conf {
	const char *cacert;     /* the authorities to trust; NULL: those of the system */
	const char *cert, *key; /* of the client; both or none */
	bool insecure;          /* verify nothing */
};

enum tls_state {
	TLS_DONE,
	TLS_WANTS_READ,  /* call again when the socket is readable */
	TLS_WANTS_WRITE, /* likewise, writable */
	TLS_LOST,        /* errno says how; 0: the peer closed it */
	TLS_BROKEN,      /* why says it; what was written may have been read */
	TLS_REFUSED      /* the peer does not accept us, why says it: it has read nothing,
	                  * and it would be the same the next time */
};

/* The tool resolves this symbol, and accepts only a library of its own version. */
#define TLS_SYMBOL "dq_tls_ops"

struct tls_ops {
	const char *version;
	/* start prepares a connection on fd; NULL: why has the reason ("" = memory). close frees
	 * the connection; it sends close_notify if the socket accepts it without waiting. */
	void *(*start)(int fd, const char *host, const struct tls_conf *conf,
		       char why[TLS_WHY_MAX]);
	enum tls_state (*greet)(void *tls, char why[TLS_WHY_MAX]);
	enum tls_state (*read)(void *tls, void *bytes, size_t size, size_t *n,
			       char why[TLS_WHY_MAX]);
	/* After TLS_WANTS_READ or TLS_WANTS_WRITE, write the same bytes again, wherever
	 * they are now, and perhaps more after them: some may be sent already. Fewer bytes
	 * break the connection. */
	enum tls_state (*write)(void *tls, const void *bytes, size_t size, size_t *n,
				char why[TLS_WHY_MAX]);
	void (*close)(void *tls);
};

#endif
