/* rules: may a queue trust this server? Rules over what the server says of itself. Pure. */
#ifndef DQ_RULES_H
#define DQ_RULES_H

#include "redis/server_info.h"
#include "report.h"

/* rules_judge adds what it finds: critical is what is refused or lost now, a warning what will be one day, ok what is good to
 * know. What the server did not tell is not judged. 0, or -1: memory is out. */
int rules_judge(struct report *f, const struct server *s);

/* rules_judge_past: is the last take, or put, of a queue in the future of the server's clock? now is that clock, in ms. As above. */
int rules_judge_past(struct report *f, const char *queue, const char *what, int64_t last, int64_t now);

#endif
