/* options: what dq-promote was asked for. */
#ifndef DQ_PROMOTE_OPTIONS_H
#define DQ_PROMOTE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "tool/opt.h"

struct options {
	struct opt common;
	bool follow, dead, release, pause, resume, dry, quiet;
	int64_t limit; /* messages, -1 = all */
	int64_t shards; /* of --shards; 0: not asked for */
	int own;       /* which of --pause, --resume and --shards; 0: none */
	int64_t rate;  /* a second, 0 = at once */
	int64_t lasts; /* ms for --for, -1 = for ever */
	char **names;  /* operands, NULL-ended; none = all */
};

/* options_read fills it in, or ends the tool. */
void options_read(struct options *o, int argc, char **argv);

/* options_forms: what an operand may be, for name_parse. */
int options_forms(const struct options *o);

#endif
