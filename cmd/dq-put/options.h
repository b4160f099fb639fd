/* options: the command line of dq-put. */
#ifndef DQ_PUT_OPTIONS_H
#define DQ_PUT_OPTIONS_H

#include <stdbool.h>

#include "base/buf.h"
#include "producer.h"
#include "tool/opt.h"

struct options {
	struct opt common;
	struct producer_conf producer;
	struct buf schedule;        /* holds producer.message.backoff */
	char tracestate[TRACE_STATE_MAX + 1]; /* holds producer.message.tracestate */
	const char *stored;         /* an option that was given and is stored with a message,
	                             * such as "-p", but -x; or NULL */
	const char *due_by;         /* "-d" or "-a" if it was given, or NULL */
	const char *id;             /* of the single message, or NULL */
	const char *key;            /* of all messages, or NULL; the id does not have it yet */
	int lifetime;               /* OPT_ of --unique-for or --keep; 0 = none */
	int form;                   /* of standard input: 0 = whole, 'l', '0', or 't' for --tsv */
	bool base64;
	bool bare;                  /* change only the due time of a message: no payload */
	const char *queue;
	char **payloads, **literal; /* literal: payloads behind --; there "-" is no special word */
};

/* options_read fills *o, or ends the tool. */
void options_read(struct options *o, int argc, char **argv);
void options_free(struct options *o);

#endif
