/* holding: the name under which this process holds leases. */
#ifndef DQ_HOLDING_H
#define DQ_HOLDING_H

#include <sys/types.h>

/* holding_name: DQ_WORKER, or HOST:PID of that process. An invalid DQ_WORKER ends the tool. The
 * text lasts as long as the process. */
const char *holding_name(pid_t pid);

#endif
