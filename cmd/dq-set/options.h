/* options: the command line of dq-set. */
#ifndef DQ_SET_OPTIONS_H
#define DQ_SET_OPTIONS_H

#include <stdbool.h>

#include "base/name.h"
#include "tool/opt.h"

struct options {
	struct opt common;
	bool json, quiet;
	struct name queue;
	const char *paused; /* as settings_set takes it; NULL: it stays */
	int shards;         /* 0: it stays */
	bool sets;          /* else it prints */
};

/* options_read fills *o, or ends the tool. */
void options_read(struct options *o, int argc, char **argv);

#endif
