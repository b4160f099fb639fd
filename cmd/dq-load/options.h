/* options: what dq-load was asked for. */
#ifndef DQ_LOAD_OPTIONS_H
#define DQ_LOAD_OPTIONS_H

#include "loader.h"
#include "tool/opt.h"

struct options {
	struct opt common;
	struct loader_conf loader;
	char **files, **literal; /* literal: behind --, not even "-" is anything else */
};

/* options_read fills it in, or ends the tool. */
void options_read(struct options *o, int argc, char **argv);

#endif
