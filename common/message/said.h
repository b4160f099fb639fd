/* said: how a command of dq-run says on its descriptor 3 how its delivery is to end: a line, `VERB [DUR] [REASON]`. It knows what a line
 * means, and whether descriptor 3 is the one that dq-run made for a delivery. */
#ifndef DQ_SAID_H
#define DQ_SAID_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/name.h"
#include "message/settle.h"

#define SAID_FD 3
#define SAID_LINE_MAX 4095 /* bytes before the LF: with it no more than a pipe takes in one piece, so lines are never mixed */
#define SAID_VARIABLE "DQ_VERDICT"
#define SAID_KEY (2 * NAME_MAX_BYTES + 96) /* the value of that variable: the pipe and the receipt; for nobody else to read */

struct said {
	enum settle_verb verb;
	char amount[24]; /* as in settle_call */
	char reason[SETTLE_REASON_MAX + 1];
};

/* said_parse reads a line without its LF. -1: e says why it is none, in one line. */
int said_parse(const char *line, size_t len, struct said *out, struct err *e);

/* said_format adds a line with its LF that said_parse reads back. Control bytes and bytes that are not UTF-8 of the reason become \xNN. */
int said_format(struct buf *out, enum settle_verb verb, const char *amount, const char *reason);

/* said_key writes the key of a pipe, fd, and a receipt. -1: errno has the reason. said_mine: is descriptor 3 the pipe for this receipt, by
 * the variable in our environment? */
int said_key(char out[SAID_KEY], int fd, const char *queue, const char *id, const char *token);
bool said_mine(const char *queue, const char *id, const char *token);

#endif
