/* rules: is this server safe for queues? Rules for its own reports. Pure. */
#ifndef DQ_RULES_H
#define DQ_RULES_H

#include "redis/server_info.h"
#include "report.h"

/* rules_judge adds its findings: critical is refused or lost now, a warning will be some day,
 * ok is good to know. It does not judge what the server does not report. Returns 0, or -1 if
 * out of memory. */
int rules_judge(struct report *f, const struct server *s);

/* rules_judge_past: is the last take or put of a queue later than the server's clock (now,
 * in ms)? Returns as above. */
int rules_judge_past(struct report *f, const char *queue, const char *what, int64_t last,
		     int64_t now);

#endif
