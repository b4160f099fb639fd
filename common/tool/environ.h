/* environ: the environment of a command: that of the tool without secrets,
 * and variables that describe the message. */
#ifndef DQ_ENVIRON_H
#define DQ_ENVIRON_H

#include <stddef.h>

#include "message/said_pipe.h"
#include "message/take.h"
#include "redis/tls.h"

#define ENVIRON_OWN 12   /* DQ_QUEUE DQ_ID DQ_NAME DQ_RECEIPT DQ_TRY DQ_MAX_TRIES DQ_DUE_MS
                          * DQ_LEASE_UNTIL_MS DQ_GIVEN_BACK DQ_VERDICT DQ_MESSAGE_KEY DQ_REASON */
#define ENVIRON_TRACE 2  /* TRACEPARENT TRACESTATE; if the message has them */
#define ENVIRON_TEXT 480 /* length of the longest NAME=value, except DQ_REASON */

struct environ_base {
	/* inherited ones first, then own, then those of the trace, then NULL */
	char **vars;
	size_t inherited;
	char own[ENVIRON_OWN - 1][ENVIRON_TEXT];
	char *reason;         /* DQ_REASON=... */
	char trace[ENVIRON_TRACE][TRACE_STATE_MAX + 16];
};

/* environ_init copies our environment without REDISCLI_AUTH, DQ_SENTINEL_PASSWORD, REDIS_URL and
 * the variables above. It sets DQ_URL (url, which has no password) and DQ_PREFIX, so that dq tools
 * in the command use the same queues; DQ_PASSWORD_FILE if file is not NULL; and DQ_CACERT, DQ_CERT
 * and DQ_KEY. What names descriptors that commands do not have is left out. It changes the
 * environment of this process, too. -1: out of memory. */
int environ_init(struct environ_base *base, const char *url, const char *prefix, const char *file,
		 const struct tls_conf *tls);

/* environ_wipe empties a variable after its password was read: otherwise the command, and what it
 * calls, could read it in the environment of its parent process. */
void environ_wipe(const char *name);

/* environ_for adds the variables of one delivery. Without a trace context there is no TRACEPARENT.
 * Without a key DQ_MESSAGE_KEY is empty, without a reason DQ_REASON; a NUL in the reason becomes a
 * blank. key: of descriptor 3 (message/said_pipe.h). The result belongs to base, and is valid until
 * the next call. */
char **environ_for(struct environ_base *base, const char *queue, const char *token,
		   const struct delivery *d, const char *key);
void environ_free(struct environ_base *base);

#endif
