/* message: the options of a message, as the header line of its record (lua/lib/record.lua). Pure. */
#ifndef DQ_MESSAGE_H
#define DQ_MESSAGE_H

#include <stdint.h>

#include "buf.h"

struct message_options {
	int64_t ttr;   /* ms */
	int64_t tries;
};

#define MESSAGE_TTR_MIN 1
#define MESSAGE_TRIES_MAX 1000000

/* message_header adds the header line and its LF: only what differs from the defaults (queue.h), in the order of letters. */
int message_header(const struct message_options *o, struct buf *out);

#endif
