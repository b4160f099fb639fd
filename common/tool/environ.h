/* environ: the environment of a command: ours, without secrets, and what it works on. */
#ifndef DQ_ENVIRON_H
#define DQ_ENVIRON_H

#include <stddef.h>

#include "queue/take.h"
#include "redis/tls.h"

#define ENVIRON_OWN 9    /* DQ_QUEUE DQ_ID DQ_NAME DQ_RECEIPT DQ_TRY DQ_MAX_TRIES DQ_DUE_MS DQ_LEASE_UNTIL_MS DQ_REASON */
#define ENVIRON_TRACE 2  /* TRACEPARENT TRACESTATE; not of each message */
#define ENVIRON_TEXT 480 /* NAME=value of the longest, but for the last */

struct environ_base {
	char **vars;          /* inherited ones first, then own, then those of the trace, then NULL */
	size_t inherited;
	char own[ENVIRON_OWN - 1][ENVIRON_TEXT];
	char *reason;         /* DQ_REASON=... */
	char trace[ENVIRON_TRACE][TRACE_STATE_MAX + 16];
};

/* environ_init leaves out REDISCLI_AUTH, DQ_SENTINEL_PASSWORD, REDIS_URL and those above; DQ_URL and DQ_PREFIX are set to what is in use,
 * url being without its password, so that dq tools that a command calls meet the same queues, or no server at all; so are
 * DQ_PASSWORD_FILE, if file is not NULL, and DQ_CACERT, DQ_CERT and DQ_KEY. Changes this process's environment, too. -1: no memory. */
int environ_init(struct environ_base *base, const char *url, const char *prefix, const char *file,
		 const struct tls_conf *tls);

/* environ_wipe empties a variable that may hold a password, once it was read: the command, and whatever it calls, could read it as
 * that of its parent. */
void environ_wipe(const char *name);

/* environ_for describes one delivery. Without a trace context there is no TRACEPARENT. DQ_REASON is empty where there is none, and has a
 * blank for each NUL. The result is base's and holds until the next call. */
char **environ_for(struct environ_base *base, const char *queue, const char *token, const struct delivery *d);
void environ_free(struct environ_base *base);

#endif
