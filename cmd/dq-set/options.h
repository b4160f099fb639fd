/* options: the command line of dq-set. */
#ifndef DQ_SET_OPTIONS_H
#define DQ_SET_OPTIONS_H

#include <stdbool.h>

#include "base/name.h"
#include "queue/key_pauses.h"
#include "queue/settings.h"
#include "tool/opt.h"

/* A pause, as it was given. */
struct pause {
	const char *value; /* "0", "1"; "": with an end; NULL: it stays */
	int64_t ms;        /* with an end: so long; -1: until that time */
	int64_t until;     /* ms since 1970 */
};

struct options {
	struct opt common;
	bool json, quiet;
	struct name queue;
	struct pause pause;    /* of the queue */
	struct key_pauses keys; /* to be paused, or resumed */
	struct pause *key_pauses; /* of each of them; NULL: none */
	struct settings_wanted limits; /* without pauses */
	int shards;            /* 0: it stays */
	bool sets;             /* else it prints */
};

/* options_read fills *o, or ends the tool. */
void options_read(struct options *o, int argc, char **argv);

#endif
