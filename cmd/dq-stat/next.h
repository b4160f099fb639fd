/* next: the time until a message can be taken. */
#ifndef DQ_NEXT_H
#define DQ_NEXT_H

#include <stdbool.h>

#include "queue/queue_set.h"

/* next_run prints the ms until a message of those queues (NULL-ended; none = all) can be taken, and
 * reports errors. DQ_NO: there is none. quiet is as in gather.h. */
enum status next_run(struct queue_set *all, char *const *names, bool quiet);

#endif
