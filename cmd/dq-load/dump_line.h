/* dump_line: a line of a dump, parsed and checked, in the form that lua/load.lua takes. Pure. */
#ifndef DQ_LOAD_DUMP_LINE_H
#define DQ_LOAD_DUMP_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/name.h"
#include "queue/key_pauses.h"

enum dump_line_kind { DUMP_MESSAGE, DUMP_RESERVED, DUMP_QUEUE, DUMP_END, DUMP_DONE };

/* Settings of a queue. */
struct dump_settings {
	bool paused;
	int64_t pause_until;            /* ms; -1: for good, or not paused */
	int64_t max_leased, rate, rate_ms, max_len, key_limit; /* -1: none */
	int keys;                       /* enum queue_keys; KEYS_NONE: not said */
	int64_t shards;
	struct key_pauses key_pauses;
};

/* Zero-initialise it, then use it for any number of lines; dump_line_free at the end. */
struct dump_line {
	enum dump_line_kind kind;
	bool begins;                    /* the first line of a queue,
	                                 * even if the rest of it is not valid */
	char queue[NAME_MAX_BYTES + 1]; /* "" in DUMP_DONE */
	char id[NAME_MAX_BYTES + 1];    /* of a message and a reserved id */
	struct buf place, body;         /* of a message and a reserved id: the script's second
	                                 * and third text */
	int64_t dump, token;            /* of DUMP_QUEUE and DUMP_END */
	struct dump_settings settings;  /* of DUMP_QUEUE */
	int64_t messages, reserved;     /* of DUMP_END: the number of lines */
};

/* dump_line_read changes the line. Errors: DQ_DATA with "what: why", or out of memory. */
int dump_line_read(struct dump_line *d, char *line, size_t len, struct err *e);
void dump_line_free(struct dump_line *d);

#endif
