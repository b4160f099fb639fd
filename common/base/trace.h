/* trace: the W3C trace context (traceparent and tracestate) of a message. Pure. */
#ifndef DQ_TRACE_H
#define DQ_TRACE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

#define TRACE_PARENT_MAX 255 /* bytes; of version 00, the only one so far, always 55 */
#define TRACE_STATE_MAX 512  /* bytes; the standard requires tools to pass on at least that many */

/* A valid context, or none: then parent is NULL and state is "". */
struct trace {
	const char *parent; /* not NUL-ended */
	size_t parent_len;
	char state[TRACE_STATE_MAX + 1];
};

/* trace_parent_valid: VERSION-TRACE-SPAN-FLAGS in lower-case hex; version is not ff, trace and span
 * are not all zeros. A later version may continue after a further dash. */
bool trace_parent_valid(const char *s, size_t len);

/* trace_state writes the list of KEY=VALUE in s without blanks around its members and without empty
 * members. false: it is invalid or too long; out is then "". */
bool trace_state(const char *s, size_t len, char out[TRACE_STATE_MAX + 1]);

/* trace_members adds ,"traceparent":...,"tracestate":...; null means none. -1: out of memory. */
int trace_members(struct buf *out, const struct trace *t);

#endif
