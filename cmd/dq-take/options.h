/* options: the command line of dq-take. */
#ifndef DQ_TAKE_OPTIONS_H
#define DQ_TAKE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "message/take.h"
#include "format.h"
#include "tool/opt.h"

struct options {
	struct opt common;
	struct take_conf conf;
	enum format format;
	int64_t wait;  /* ms, -1 = do not wait */
	int64_t linger; /* ms, -1 = take at once what there is */
	bool follow, until_empty, ack, quiet;
	bool paced;    /* -f without -n: conf.count is the first size */
	char **queues; /* names */
	int queue_count;
};

/* options_read fills *o, or ends the tool. */
void options_read(struct options *o, int argc, char **argv);

#endif
