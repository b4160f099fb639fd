/* outcome: what became of a message that was put with --keep: lua/lib/outcome.lua writes it,
 * and dq-load. Pure. */
#ifndef DQ_OUTCOME_H
#define DQ_OUTCOME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "message/tries.h"

struct outcome {
	const char *what;   /* done, dead or removed; NULL = none is kept */
	struct tries tries;
	int64_t at;         /* the end, ms since 1970 */
	const char *text;   /* the result of a done message, else its last reason;
	                     * borrowed, any bytes */
	size_t len;
};

/* outcome_read reads the len bytes at text, which stay borrowed.
 * What is not readable, or empty, is none. */
void outcome_read(struct outcome *o, const char *text, size_t len);

/* outcome_write is the inverse. outcome_what: what, as outcome_read returns it; NULL: the text is
 * none of them. -1: out of memory. */
int outcome_write(struct buf *out, const struct outcome *o);
const char *outcome_what(const char *text, size_t len);

/* outcome_members adds members of a JSON object, each behind a comma: outcome, ended_ms, tries,
 * given_back, and result or result_base64; nothing if none is kept. -1: out of memory. */
int outcome_members(struct buf *out, const struct outcome *o);

#endif
