/* limit_text: settings of a queue as dq-set(1) takes them, and as members of JSON. Pure. */
#ifndef DQ_LIMIT_TEXT_H
#define DQ_LIMIT_TEXT_H

#include "base/buf.h"
#include "queue/stat.h"

#define LIMIT_TEXT 200

/* limit_rate writes a rate: 5/1s. */
void limit_rate(int64_t count, int64_t ms, char out[LIMIT_TEXT]);

/* limit_settings writes all that are set, separated by blanks: paused=yes shards=3 max-leased=7
 * rate=5/1s max-len=9 keys=serial key-limit=2; "": none is. */
void limit_settings(const struct queue_counts *c, int shards, char out[LIMIT_TEXT]);

/* limit_members adds members of a JSON object, each behind a comma: max_leased, rate, max_len, keys
 * and key_limit. Returns 0, or -1 if out of memory. */
int limit_members(struct buf *out, const struct queue_counts *c);

#endif
