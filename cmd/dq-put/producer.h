/* producer: puts messages into one queue, thousands a call; prints the names of the accepted
 * messages and counts the others. */
#ifndef DQ_PRODUCER_H
#define DQ_PRODUCER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/ulid.h"
#include "message/header.h"
#include "message/letters.h"
#include "message/line.h"
#include "bulk/pipeline.h"

struct producer_asked {
	size_t number;   /* of the line or record, as in struct line */
	bool made;       /* the tool made its id */
	bool answered;   /* the reply came before that to an earlier message */
	struct buf name; /* to print when the earlier ones are printed; empty: none */
};

struct producer_conf {
	const char *mode;              /* what to do if the id exists: lua/put.lua */
	bool existing;                 /* change existing messages only;
	                                * mode is then neither fail nor keep */
	const char *unit;              /* of the input: "line" or "record" */
	struct header_options message; /* of all lines */
	char due[LINE_DUE];            /* of lines without a due time */
	int64_t expires;               /* ms from now, -1 = never */
	int64_t max_bytes;
	bool quiet, verbose;
};

struct producer {
	struct producer_conf conf;
	struct exchange *x;
	/* results */
	size_t accepted, refused, unknown;
	bool reported;                  /* the counts, and the messages that were not sent,
	                                 * were reported */
	bool unnamed;                   /* the user wants names, but they could not be written */
	enum status status;             /* the worst so far */
	/* private */
	struct queue queue;
	struct pipeline pipeline;
	struct ulid ulid;
	struct buf header, record;
	char priority[8], expire[24], rule[16];
	struct producer_asked *asked; /* of the messages without a reply: a ring of room */
	size_t room;
	size_t added, next;           /* messages; next: the first whose name is neither
	                               * printed nor skipped */
};

/* producer_start: *p is zeros; name is the valid name of a queue.
 * Ends the tool if out of memory. */
void producer_start(struct producer *p, const struct producer_conf *conf, struct exchange *x,
		    const char *prefix, const char *name);

/* producer_add adds one line to the batch, and sends full batches. -1: the tool cannot continue;
 * that was reported, and status has the status. */
int producer_add(struct producer *p, const struct line *line);

/* producer_settle sends the last batch, waits for all replies and prints.
 * Returns as producer_add. */
int producer_settle(struct producer *p);

/* producer_flush is producer_settle before a wait for input, as pipeline_flush.
 * Returns as producer_add. */
int producer_flush(struct producer *p, struct meanwhile *meanwhile, int64_t *again_at);

/* producer_refuse reports and counts a bad line; number is as in struct line. Returns 0. */
int producer_refuse(struct producer *p, size_t number, const char *why);
void producer_free(struct producer *p);

#endif
