/* said: how a command of dq-run says on its descriptor 3 how its delivery is to end: a line
 * `VERB [DUR|TIME] [REASON]`, and further lines of the reason. */
#ifndef DQ_SAID_H
#define DQ_SAID_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "message/settle.h"

#define SAID_FD 3
/* bytes that count: with a LF no more than a pipe takes in one piece, so lines are never mixed */
#define SAID_LINE_MAX 4095

struct said {
	bool known; /* it begins with a verb, also if its amount is wrong */
	enum settle_verb verb;
	char amount[24]; /* as in settle_call */
	char reason[SETTLE_REASON_MAX + 1];
};

/* said_begins: does the line begin with a verb? Else it belongs to the reason before it. */
bool said_begins(const char *line, size_t len);

/* said_parse reads such lines without the last LF. No reason makes them wrong: control bytes other
 * than LF and TAB, and what is not UTF-8, become \xNN, and what is too long is cut. -1: the verb or
 * the amount is wrong; e says why, in one line. */
int said_parse(const char *said, size_t len, struct said *out, struct err *e);

/* said_format adds a line with its LF that said_parse reads back. Control bytes and bytes that are
 * not UTF-8 of the reason become \xNN. */
int said_format(struct buf *out, enum settle_verb verb, const char *amount, const char *reason);

#endif
