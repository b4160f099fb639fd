/* options: what dq-rm was asked for. */
#ifndef DQ_RM_OPTIONS_H
#define DQ_RM_OPTIONS_H

#include <stdbool.h>

#include "tool/opt.h"

struct options {
	struct opt common;
	bool all, force, dry, quiet;
	const char *state;    /* "" = any; or several, with commas between */
	int states;           /* how many */
	char state_words[64]; /* the same for people */
	char **words;         /* operands: with all, names of queues */
};

/* options_read fills it in, or ends the tool. */
void options_read(struct options *o, int argc, char **argv);

#endif
