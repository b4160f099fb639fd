/* format: one delivery as bytes for a pipe, a record. Pure. */
#ifndef DQ_FORMAT_H
#define DQ_FORMAT_H

#include "base/buf.h"
#include "base/err.h"
#include "message/take.h"

enum format {
	FORMAT_TSV,   /* RECEIPT TAB PAYLOAD LF, payload escaped as text_tsv */
	FORMAT_SHOWN, /* the same for a terminal: escaped as text_line */
	FORMAT_NUL,   /* RECEIPT NUL PAYLOAD NUL; a payload with a NUL byte is DQ_DATA */
	FORMAT_JSON   /* one object a line: dq-take(1) */
};

/* format_add adds the i-th delivery of t, taken from the queue of that name.
 * Fails with DQ_DATA or out of memory. */
int format_add(struct buf *out, enum format format, const char *queue, const struct take *t,
	       size_t i, struct err *e);

#endif
