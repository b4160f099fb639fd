/* next: how long until a message can be taken. */
#ifndef DQ_NEXT_H
#define DQ_NEXT_H

#include <stdbool.h>

#include "queue/queue_set.h"

/* next_run prints the ms until the first message of those queues (NULL-ended; none = all) can be taken, and says what failed. DQ_NO: there
 * is none. quiet as in gather.h. */
enum status next_run(struct queue_set *all, char *const *names, bool quiet);

#endif
