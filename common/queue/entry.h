/* entry: what dq-put is asked to put: one message's due time, id and payload, as one line of --tsv. Pure. */
#ifndef DQ_ENTRY_H
#define DQ_ENTRY_H

#include <stddef.h>

#include "base/err.h"

#define ENTRY_DUE 32

struct entry {
	char due[ENTRY_DUE];  /* as put.lua reads it: MS from now, or @MS since 1970; "" where the line has "-" */
	const char *id;       /* NULL where the line has "-"; valid otherwise */
	size_t id_len;
	const char *payload;
	size_t len;
	size_t line;          /* of standard input, from 1; 0 = an operand, or all of it */
};

/* entry_delay and entry_time write a duration, or a point in time (when.h), as put.lua reads it. Errors are DQ_USAGE. */
int entry_delay(const char *text, char due[ENTRY_DUE], struct err *e);
int entry_time(const char *text, char due[ENTRY_DUE], struct err *e);

/* entry_tsv reads DELAY TAB ID TAB PAYLOAD; DELAY is a duration or a time, "-" for none; the payload's escapes are undone, in
 * the line itself, which out points into. Errors are DQ_DATA. */
int entry_tsv(char *line, size_t len, struct entry *out, struct err *e);

/* entry_base64 undoes base64 (RFC 4648, padded, no white space) in place and returns the new length, or -1 with DQ_DATA. */
long entry_base64(char *s, size_t len, struct err *e);

#endif
