/* options: the command line of dq-rm. */
#ifndef DQ_RM_OPTIONS_H
#define DQ_RM_OPTIONS_H

#include <stdbool.h>

#include "tool/opt.h"

struct options {
	struct opt common;
	bool all, force, dry, quiet;
	const char *key;      /* NULL = none: only the messages of that key */
	const char *state;    /* "" = any; or several, separated by commas */
	int states;           /* how many states */
	char state_words[64]; /* the states in words, for messages */
	char **words;         /* operands: with all or key, names of queues */
};

/* options_read fills *o, or ends the tool. */
void options_read(struct options *o, int argc, char **argv);

#endif
