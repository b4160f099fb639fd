/* options: the command line of dq-gc. */
#ifndef DQ_GC_OPTIONS_H
#define DQ_GC_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "tool/opt.h"

struct options {
	struct opt common;
	int64_t keep, idle; /* ms */
	bool purge, forget, check, repair, dry;
	bool named;         /* the command line names queues */
	bool doubt;         /* warn if a named queue does not exist yet */
};

/* options_read returns the operands: names of queues. */
char **options_read(struct options *o, int argc, char **argv);

#endif
