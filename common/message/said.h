/* said: how a command of dq-run says on its descriptor 3 how its delivery is to end: a line,
 * `VERB [DUR|TIME] [REASON]`. */
#ifndef DQ_SAID_H
#define DQ_SAID_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "message/settle.h"

#define SAID_FD 3
/* bytes before the LF: with it no more than a pipe takes in one piece, so lines are never mixed */
#define SAID_LINE_MAX 4095

struct said {
	enum settle_verb verb;
	char amount[24]; /* as in settle_call */
	char reason[SETTLE_REASON_MAX + 1];
};

/* said_parse reads a line without its LF. -1: e says why it is none, in one line. */
int said_parse(const char *line, size_t len, struct said *out, struct err *e);

/* said_format adds a line with its LF that said_parse reads back. Control bytes and bytes that are
 * not UTF-8 of the reason become \xNN. */
int said_format(struct buf *out, enum settle_verb verb, const char *amount, const char *reason);

#endif
