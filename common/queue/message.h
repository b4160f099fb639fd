/* message: the options of a message, as the header line of its record (lua/lib/record.lua). Pure. */
#ifndef DQ_MESSAGE_H
#define DQ_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

#define MESSAGE_TTR_MIN 1
#define MESSAGE_TRIES_MAX 1000000
#define MESSAGE_BACKOFF_MAX 64 /* intervals in a schedule */

struct message_options {
	int64_t ttr;         /* ms */
	int64_t tries;
	int64_t priority;    /* 0-255 */
	int64_t unique;      /* ms that the id stays taken after the message is settled; 0 = not at all */
	const char *backoff; /* as message_backoff wrote it; NULL = the default schedule */
	bool expires;        /* put.lua writes the first field, x=MS, in front of the header */
};

/* message_header adds the header line and its LF: only what differs from the defaults (queue.h). */
int message_header(const struct message_options *o, struct buf *out);

/* message_backoff reads a retry schedule, a list of 1 to MESSAGE_BACKOFF_MAX durations "0,0,2m,1h" or "exp:MIN..MAX" (0 < MIN <=
 * MAX), and adds it in the record's form, in ms, with a NUL. Errors are DQ_USAGE. */
int message_backoff(const char *text, struct buf *out, struct err *e);

/* message_tries: how many tries such a schedule (NULL = the default one) means where nobody says: the first, and one after each
 * interval of a list. exp: has no end, and means QUEUE_TRIES. */
int64_t message_tries(const char *backoff);

#endif
