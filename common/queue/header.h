/* header: the first line of a record, which holds a message's options; the payload follows (dq-scripts(7), Header). The only C code that
 * writes and reads it; lua/lib/record.lua and lua/lib/backoff.lua read it in the same way. Pure. */
#ifndef DQ_HEADER_H
#define DQ_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/trace.h"

#define HEADER_SPAN INT64_C(4398046511104) /* ms: all times and waits are below it (lua/lib/scores.lua) */
#define HEADER_TRIES_MAX INT64_C(4294967295)
#define HEADER_BACKOFF_MAX 64 /* intervals in a schedule that header_backoff reads */

/* What is written. */
struct header_options {
	int64_t ttr;         /* ms, from 1 */
	int64_t tries;
	int64_t priority;    /* 0-255 */
	int64_t unique;      /* ms that the id stays taken after the message is settled; 0 = not at all */
	const char *backoff; /* as header_backoff wrote it; NULL = the default schedule */
	const char *traceparent, *tracestate; /* valid (base/trace.h); NULL = none */
	bool expires;        /* put.lua writes the first field, x=MS, in front of the header */
};

/* header_write adds the header line and its LF: only what differs from the defaults (queue.h). -1: memory is out. */
int header_write(const struct header_options *o, struct buf *out);

/* header_backoff reads a retry schedule, a list of 1 to HEADER_BACKOFF_MAX durations "0,0,2m,1h" or "exp:MIN..MAX" (0 < MIN <=
 * MAX), and adds it in the header's form, in ms, with a NUL. Errors are DQ_USAGE. */
int header_backoff(const char *text, struct buf *out, struct err *e);

/* header_tries: how many tries such a schedule (NULL = the default one) means where nobody says: the first, and one after each
 * interval of a list. exp: has no end, and means QUEUE_TRIES. */
int64_t header_tries(const char *backoff);

/* What is read: a message's options, as its header says, else the defaults. A field that is not as it should be counts as absent. */
struct header {
	int64_t ttr;         /* ms */
	int64_t tries;
	int64_t priority;
	int64_t expires;     /* ms since 1970, -1 = never */
	int64_t unique;      /* ms for which the id stays taken, 0 = not at all */
	const char *backoff; /* MS,MS... or exp:MIN..MAX; not NUL-ended, and the header's bytes or a constant */
	size_t backoff_len;
};

/* header_split returns the length of the record's header, without its LF, and the payload, which is all of a record without LF. */
size_t header_split(const char *record, size_t len, const char **payload);

/* header_read never fails; the len bytes at text may be any. */
void header_read(struct header *h, const char *text, size_t len);

/* header_trace: likewise, the trace context. */
void header_trace(struct trace *t, const char *text, size_t len);

/* header_is_exp: is the schedule exp:MIN..MAX? header_interval takes the next number of a schedule: *at is 0 at first. */
bool header_is_exp(const struct header *h);
bool header_interval(const struct header *h, size_t *at, int64_t *ms);

#endif
