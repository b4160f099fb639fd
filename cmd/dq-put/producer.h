/* producer: puts messages into one queue, by the thousand, prints the names of what was accepted and counts the rest. */
#ifndef DQ_PRODUCER_H
#define DQ_PRODUCER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/ulid.h"
#include "queue/header.h"
#include "queue/letters.h"
#include "queue/line.h"
#include "queue/pipeline.h"

struct producer_asked {
	size_t number; /* where it stood in the input, as in struct line */
	bool made;     /* its id was made here */
	bool answered; /* before one that was added earlier: */
	char *name;    /* to be printed after that; NULL: none */
};

struct producer_conf {
	const char *mode;              /* what to do with an id that is there: see put.lua */
	bool existing;                 /* put nothing new; mode is replace, earlier or later then */
	const char *unit;              /* what the input has: "line" or "record" */
	struct header_options message; /* of all lines */
	char due[LINE_DUE];            /* of lines that do not say */
	int64_t expires;               /* ms from now, -1 = never */
	int64_t max_bytes;
	bool quiet, verbose;
};

struct producer {
	struct producer_conf conf;
	struct conn *conn;
	/* results */
	size_t accepted, refused, unknown;
	bool told;                      /* the counts, with what was not sent, are said */
	bool unnamed;                   /* names could not be written although the user wants them */
	enum status status;             /* the worst so far */
	/* private */
	struct queue queue;
	struct pipeline pipeline;
	struct ulid ulid;
	struct buf header, record;
	char priority[8], expire[24], rule[16];
	struct producer_asked *asked; /* of the messages that have no answer yet: a ring of room */
	size_t room;
	size_t added, next;           /* messages; next: the first whose name is not printed yet, or passed over */
};

/* producer_start: p is zeros; name is the queue's, valid. Ends the tool when memory is out. */
void producer_start(struct producer *p, const struct producer_conf *conf, struct conn *conn, const char *prefix, const char *name);

/* producer_add gathers one line and sends when there is a batch. producer_settle sends what is gathered, waits for all answers
 * and prints. Both return -1 when there is no going on: it has been said, and status holds it. */
int producer_add(struct producer *p, const struct line *line);
int producer_settle(struct producer *p);

/* producer_refuse counts and tells of something that is no line; number as in struct line. Returns 0. */
int producer_refuse(struct producer *p, size_t number, const char *why);
void producer_free(struct producer *p);

#endif
