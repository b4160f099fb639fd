/* header: the first line of a record, which holds a message's options; the payload follows
 * (dq-scripts(7), Header). No other C code writes or reads it; lua/lib/record.lua and
 * lua/lib/backoff.lua read it in the same way. Pure. */
#ifndef DQ_HEADER_H
#define DQ_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/trace.h"

/* ms: all times and waits are below it (lua/lib/scores.lua) */
#define HEADER_SPAN INT64_C(4398046511104)
#define HEADER_TRIES_MAX INT64_C(4294967295)
#define HEADER_BACKOFF_MAX 64 /* intervals in a schedule that header_backoff reads */

/* The options to write. */
struct header_options {
	int64_t ttr;         /* ms, from 1 */
	int64_t tries;
	int64_t priority;    /* 0-255 */
	int64_t unique;      /* ms that the id stays taken after the message is settled;
	                      * 0 = not at all */
	bool keep;           /* its outcome is kept as long */
	const char *backoff; /* as header_backoff wrote it; NULL = the default schedule */
	const char *traceparent, *tracestate; /* valid (base/trace.h); NULL = none */
	bool expires;        /* put.lua writes the first field, x=MS, in front of the header */
};

/* header_write adds the header line with its LF. It writes only options that differ from the
 * defaults (queue.h). -1: out of memory. */
int header_write(const struct header_options *o, struct buf *out);

/* header_backoff reads a retry schedule, a list of 1 to HEADER_BACKOFF_MAX durations "0,0,2m,1h"
 * or "exp:MIN..MAX" (0 < MIN <= MAX), and adds it in the header's form, in ms, with a NUL.
 * Errors are DQ_USAGE. */
int header_backoff(const char *text, struct buf *out, struct err *e);

/* header_tries: the number of tries that a schedule (NULL = the default one) implies if the
 * user sets none: the first try, and one after each interval of a list. exp: has no end, so
 * it implies QUEUE_TRIES. */
int64_t header_tries(const char *backoff);

/* A message's options: those in its header, else the defaults.
 * An invalid field counts as absent. */
struct header {
	int64_t ttr;         /* ms */
	int64_t tries;
	int64_t priority;
	int64_t expires;     /* ms since 1970, -1 = never */
	int64_t unique;      /* ms for which the id stays taken, 0 = not at all */
	bool keep;           /* its outcome is kept as long */
	const char *backoff; /* MS,MS... or exp:MIN..MAX; not NUL-ended,
	                      * and the header's bytes or a constant */
	size_t backoff_len;
};

/* header_split returns the length of the header without its LF, and the payload. A record without
 * LF is all payload. */
size_t header_split(const char *record, size_t len, const char **payload);

/* header_read never fails; the len bytes at text may have any values. */
void header_read(struct header *h, const char *text, size_t len);

/* header_trace reads the trace context; it never fails either. */
void header_trace(struct trace *t, const char *text, size_t len);

/* header_is_exp: true if the schedule is exp:MIN..MAX. */
bool header_is_exp(const struct header *h);

/* header_interval reads the next number of a schedule; start with *at = 0. */
bool header_interval(const struct header *h, size_t *at, int64_t *ms);

#endif
