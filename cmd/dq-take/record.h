/* record: one delivery as bytes for a pipe. Pure. */
#ifndef DQ_RECORD_H
#define DQ_RECORD_H

#include "base/buf.h"
#include "base/err.h"
#include "queue/take.h"

enum record_format {
	RECORD_TSV,   /* RECEIPT TAB PAYLOAD LF, payload escaped as text_tsv */
	RECORD_SHOWN, /* the same for a terminal: escaped as text_line */
	RECORD_NUL,   /* RECEIPT NUL PAYLOAD NUL; a payload with a NUL byte is DQ_DATA */
	RECORD_JSON   /* one object a line: dq-take(1) */
};

/* record_add adds the i-th delivery of t, taken from the queue of that name. Fails with DQ_DATA or out of memory. */
int record_add(struct buf *out, enum record_format format, const char *queue, const struct take *t, size_t i, struct err *e);

#endif
