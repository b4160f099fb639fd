/* names: the names of all queues. */
#ifndef DQ_NAMES_H
#define DQ_NAMES_H

#include "queue/queue_set.h"

enum status names_run(struct queue_set *all);

#endif
