/* live: queues watched until the user has seen enough: on a terminal all of its screen, else a line at each look. */
#ifndef DQ_LIVE_H
#define DQ_LIVE_H

#include <stdbool.h>

#include "queue/queue_set.h"

struct live {
	struct queue_set *all;
	char *const *names; /* NULL-ended; none = all */
	int64_t every;      /* ms from look to look, and longer if there are so many queues that asking takes LIVE_SHARE of it */
	bool idle;          /* show idle queues as rows, too */
	bool terminal;      /* standard output is one */
};

#define LIVE_SHARE 20 /* a look takes one part in so many of the time, at most: the server has other things to do */

/* live_run opens the connection again when it is lost. It says what it ends for. */
enum status live_run(const struct live *l);

#endif
