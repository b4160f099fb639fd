/* record: a line of a dump, read and checked, as the script load takes it (lua/load.lua). Pure. */
#ifndef DQ_LOAD_RECORD_H
#define DQ_LOAD_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/name.h"

enum record_kind { RECORD_MESSAGE, RECORD_RESERVED, RECORD_QUEUE, RECORD_END, RECORD_DONE };

/* Zero-initialise, and use it for line after line; record_free at the end. */
struct record {
	enum record_kind kind;
	char queue[NAME_MAX_BYTES + 1]; /* "" of RECORD_DONE */
	char id[NAME_MAX_BYTES + 1];    /* of a message and a reserved id */
	struct buf place, body;         /* of a message and a reserved id: the script's second and third text */
	int64_t dump, token;            /* of RECORD_QUEUE and RECORD_END */
	bool paused;                    /* of RECORD_QUEUE */
	int64_t messages, reserved;     /* of RECORD_END: how many lines there are */
};

/* record_read changes the line. Errors are DQ_DATA: "what: why"; and err_memory. */
int record_read(struct record *r, char *line, size_t len, struct err *e);
void record_free(struct record *r);

#endif
