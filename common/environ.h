/* environ: the environment of a command: ours, without secrets, and what it works on. */
#ifndef DQ_ENVIRON_H
#define DQ_ENVIRON_H

#include <stddef.h>

#include "take.h"

#define ENVIRON_OWN 8    /* DQ_QUEUE DQ_ID DQ_NAME DQ_RECEIPT DQ_TRY DQ_TRIES DQ_DUE_MS DQ_LEASE_UNTIL_MS */
#define ENVIRON_TEXT 480 /* NAME=value of the longest */

struct environ_base {
	char **vars;          /* inherited ones first, then own, then NULL */
	size_t inherited;
	char own[ENVIRON_OWN][ENVIRON_TEXT];
};

/* environ_init leaves out REDISCLI_AUTH, REDIS_URL and a DQ_* of those above; DQ_URL and DQ_PREFIX are set to what is in use,
 * url being without its password, so that dq tools that a command calls meet the same queues, or no server at all; so is DQ_PASSWORD_FILE, if file is
 * not NULL. Changes this
 * process's environment, too. -1: no memory. */
int environ_init(struct environ_base *base, const char *url, const char *prefix, const char *file);

/* environ_for describes one delivery. The result is base's and holds until the next call. */
char **environ_for(struct environ_base *base, const char *queue, const char *token, const struct delivery *d);
void environ_free(struct environ_base *base);

#endif
