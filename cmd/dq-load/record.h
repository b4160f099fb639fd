/* record: a line of a dump, parsed and checked, in the form that lua/load.lua takes. Pure. */
#ifndef DQ_LOAD_RECORD_H
#define DQ_LOAD_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/name.h"

enum record_kind { RECORD_MESSAGE, RECORD_RESERVED, RECORD_QUEUE, RECORD_END, RECORD_DONE };

/* Zero-initialise it, then use it for any number of lines; record_free at the end. */
struct record {
	enum record_kind kind;
	char queue[NAME_MAX_BYTES + 1]; /* "" in RECORD_DONE */
	char id[NAME_MAX_BYTES + 1];    /* of a message and a reserved id */
	struct buf place, body;         /* of a message and a reserved id: the script's second and third text */
	int64_t dump, token;            /* of RECORD_QUEUE and RECORD_END */
	bool paused;                    /* of RECORD_QUEUE */
	int64_t messages, reserved;     /* of RECORD_END: the number of lines */
};

/* record_read changes the line. Errors: DQ_DATA with "what: why", or out of memory. */
int record_read(struct record *r, char *line, size_t len, struct err *e);
void record_free(struct record *r);

#endif
