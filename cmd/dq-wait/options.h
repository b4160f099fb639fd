/* options: the command line of dq-wait. */
#ifndef DQ_WAIT_OPTIONS_H
#define DQ_WAIT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "tool/opt.h"

struct options {
	struct opt common;
	int64_t wait; /* ms; -1 = for ever */
	bool any, quiet, json, allow_empty;
	bool empty;   /* wait for queues, not for messages */
	bool all;     /* with empty: also for delayed messages */
	char **words; /* NULL-ended: names, or queues */
};

/* options_read fills *o, or ends the tool. */
void options_read(struct options *o, int argc, char **argv);

#endif
