/* questions: single questions about a whole queue. Each asks all shards; of a shard (rest is NULL),
 * that one alone. */
#ifndef DQ_QUESTIONS_H
#define DQ_QUESTIONS_H

#include "queue/queue.h"

/* queue_token: the last token, which is about the time of the last take, in us; 0 = none yet. */
int queue_token(struct queue *q, int64_t *token, struct err *e);

/* queue_lease_end: when the first lease ends (server's ms), -1 = nothing is leased. */
int queue_lease_end(const struct queue *q, int64_t *end, struct err *e);

/* queue_key_pauses reads the keys that are paused at `now` (server's ms), in their order. */
struct key_pauses;
int queue_key_pauses(struct queue *q, int64_t now, struct key_pauses *out, struct err *e);

#endif
