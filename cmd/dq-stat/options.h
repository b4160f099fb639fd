/* options: the command line of dq-stat. */
#ifndef DQ_STAT_OPTIONS_H
#define DQ_STAT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/name.h"
#include "check/threshold.h"
#include "tool/opt.h"

enum mode {
	MODE_COUNTS, MODE_MESSAGES, MODE_KEYS, MODE_KEY, MODE_CHECK, MODE_NEXT, MODE_PROMETHEUS,
	MODE_WATCH, MODE_NAMES
};

struct options {
	struct opt common;
	enum mode mode;
	const char *mode_name; /* the option that chose it; NULL: none */
	bool json, header, payload, idle, quiet;
	int64_t every;      /* ms */
	const char *output; /* FILE; NULL: standard output */
	const char *states; /* as in list.h */
	const char *key;    /* of MODE_KEY */
	int64_t limit;      /* rows of MODE_KEYS; -1: all */
	struct thresholds warn, crit;
	char **queues;      /* names, NULL-ended */
	struct name *names; /* of messages */
	size_t name_count;
};

/* options_read fills *o, or ends the tool. */
void options_read(struct options *o, int argc, char **argv);
void options_free(struct options *o);

#endif
