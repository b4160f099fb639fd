/* prometheus: the numbers of queues and their server in the text format of Prometheus. */
#ifndef DQ_PROMETHEUS_H
#define DQ_PROMETHEUS_H

#include <stdbool.h>

#include "queue/queue_set.h"

/* prometheus_run prints them, or replaces file with them (NULL: standard output); if the connection
 * is lost meanwhile, it writes nothing. It reports errors; names and quiet are as in gather.h. */
enum status prometheus_run(struct queue_set *all, char *const *names, bool quiet, const char *file);

#endif
