/* line: one message to put: due time, id and payload, from an operand or a line of --tsv. Pure. */
#ifndef DQ_LINE_H
#define DQ_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

#define LINE_DUE 32

struct line {
	char due[LINE_DUE]; /* as put.lua reads it: MS from now, or @MS since 1970; "" where the line has "-" */
	const char *id;     /* NULL where the line has "-"; valid otherwise */
	size_t id_len;
	const char *payload;
	size_t len;
	size_t number;      /* of the line of standard input, from 1; 0 = an operand, or all of it */
};

/* line_delay and line_time write a duration, or a point in time (time.h), as put.lua reads it. Errors are DQ_USAGE. option: what stands
 * before a time that was given as a duration, for the error: "-a " or "". */
int line_delay(const char *text, const char *option, char due[LINE_DUE], struct err *e);
int line_time(const char *text, char due[LINE_DUE], struct err *e);

/* line_never: is it the word for a held message, which is due only when it is promoted? Then that is in due. */
bool line_never(const char *text, char due[LINE_DUE]);

/* line_tsv reads DELAY TAB ID TAB PAYLOAD. DELAY is a duration or a time, or "-" for none. It decodes the payload's escapes within the
 * line; out points into the line. Errors are DQ_DATA. */
int line_tsv(char *line, size_t len, struct line *out, struct err *e);

#endif
