/* list: the messages of queues, a line each. */
#ifndef DQ_LIST_H
#define DQ_LIST_H

#include <stdbool.h>

#include "queue/queue_set.h"

#define LIST_EXPIRED "expired" /* ready, due and delayed messages can be expired */
#define LIST_ENDED "ended"     /* outcomes that are kept, newest first */

struct list {
	struct queue_set *all;
	char *const *names;  /* NULL-ended; none = all */
	const char *states;  /* a list as in listing.h ("" = all), or LIST_EXPIRED, or LIST_ENDED */
	bool json, payload;
	bool terminal;       /* standard output is a terminal */
	bool quiet;          /* do not report named queues that do not exist yet */
	const char *key;     /* of LIST_ENDED: only of that key; NULL: of all */
};

/* list_run reports errors, and returns the worst status. */
enum status list_run(const struct list *l);

#endif
