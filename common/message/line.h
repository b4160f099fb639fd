/* line: one message to put: due time, id and payload, from an operand or a line of --tsv. Pure. */
#ifndef DQ_LINE_H
#define DQ_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/name.h"
#include "base/ulid.h"

#define LINE_DUE 32
#define LINE_KEY_MAX (NAME_MAX_BYTES - 1 - ULID_CHARS) /* bytes of a key before a generated id */

struct line {
	char due[LINE_DUE]; /* as put.lua reads it: MS from now, or @MS since 1970;
	                     * "" where the line has "-" */
	const char *id;     /* NULL: to be generated; valid otherwise.
	                     * With a key it is what follows the + */
	size_t id_len;
	const char *key;    /* valid; or key_len is 0: none, or it is in the id */
	size_t key_len;
	const char *payload;
	size_t len;
	/* of the line of standard input, from 1; 0 = an operand, or all of it */
	size_t number;
};

/* line_delay and line_time write a duration, or a point in time (time.h), as put.lua reads it.
 * Errors are DQ_USAGE. option: what stands before a time that was given as a duration, for the
 * error: "-a " or "". */
int line_delay(const char *text, const char *option, char due[LINE_DUE], struct err *e);
int line_time(const char *text, char due[LINE_DUE], struct err *e);

/* line_never: is it the word for a held message,
 * which is due only when it is promoted? Then that is in due. */
bool line_never(const char *text, char due[LINE_DUE]);

/* line_keyed: the key and the id, or one that is generated, must fit into an id.
 * Errors are DQ_DATA. */
int line_keyed(const struct line *line, struct err *e);

/* line_tsv reads DELAY TAB ID TAB PAYLOAD. DELAY is a duration or a time, or "-" for none. ID
 * may be "-", or "KEY+-": generated. out has the key of all lines, if there is one: then an
 * ID has none. It decodes the payload's escapes within the line; out points into the line.
 * Errors are DQ_DATA. */
int line_tsv(char *line, size_t len, struct line *out, struct err *e);

#endif
