/* options: the command line of dq-set. */
#ifndef DQ_SET_OPTIONS_H
#define DQ_SET_OPTIONS_H

#include <stdbool.h>

#include "base/name.h"
#include "queue/settings.h"
#include "tool/opt.h"

struct options {
	struct opt common;
	bool json, quiet;
	struct name queue;
	const char *paused;    /* "0", "1"; "": with an end; NULL: it stays */
	int64_t pause_ms;      /* with an end: so long; -1: until pause_until */
	int64_t pause_until;   /* ms since 1970 */
	struct settings_wanted limits; /* paused is NULL */
	int shards;            /* 0: it stays */
	bool sets;             /* else it prints */
};

/* options_read fills *o, or ends the tool. */
void options_read(struct options *o, int argc, char **argv);

#endif
