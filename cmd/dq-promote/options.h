/* options: the command line of dq-promote. */
#ifndef DQ_PROMOTE_OPTIONS_H
#define DQ_PROMOTE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "tool/opt.h"

struct options {
	struct opt common;
	bool follow, dead, release, dry, quiet;
	const char *holder; /* of --holder; NULL: absent */
	int64_t limit; /* messages, -1 = all */
	int64_t rate;  /* messages a second, 0 = at once */
	int64_t lasts; /* of --for, ms; -1 = forever */
	char **names;  /* operands, NULL-ended; none = all */
};

/* options_read fills *o, or ends the tool. */
void options_read(struct options *o, int argc, char **argv);

/* options_forms: the forms of operands that name_parse accepts. */
int options_forms(const struct options *o);

#endif
