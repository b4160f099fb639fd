/* live: watches queues until the user ends it: on a terminal a full screen,
 * else a line for each poll. */
#ifndef DQ_LIVE_H
#define DQ_LIVE_H

#include <stdbool.h>

#include "queue/queue_set.h"

struct live {
	struct queue_set *all;
	char *const *names; /* NULL-ended; none = all */
	int64_t every;      /* ms between polls; longer if polling would take more than LIVE_SHARE
	                     * of the time */
	bool idle;          /* show idle queues as rows, too */
	bool terminal;      /* standard output is a terminal */
};

/* polls take at most one part in so many of the time: the server has other work */
#define LIVE_SHARE 20

/* live_run reconnects when the connection is lost. It reports the error that ends it. */
enum status live_run(const struct live *l);

#endif
