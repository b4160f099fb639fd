/* options: the command line of dq-load. */
#ifndef DQ_LOAD_OPTIONS_H
#define DQ_LOAD_OPTIONS_H

#include "sender.h"
#include "tool/opt.h"

struct options {
	struct opt common;
	struct sender_conf sender;
	char **files, **literal; /* literal: operands behind --; there "-" is the name of a file */
};

/* options_read fills *o, or ends the tool. */
void options_read(struct options *o, int argc, char **argv);

#endif
