/* counts: a queue's numbers as the cells of a row for people, or as a JSON object. Pure. */
#ifndef DQ_COUNTS_H
#define DQ_COUNTS_H

#include "base/buf.h"
#include "base/table.h"
#include "queue/queue.h"

#define COUNTS_COLUMNS 11

/* Each returns 0, or -1: memory is out. */
int counts_titles(struct table *t);
int counts_row(struct table *t, const char *queue, const struct queue_counts *c);
int counts_json(struct buf *out, const char *queue, const struct queue_counts *c);

/* counts_counter is the value of that counter (dq-scripts(7), Counters), or 0: counters are digits; any other value is foreign. */
int64_t counts_counter(const struct queue_counts *c, const char *wanted);

/* counts_shards: how many shards the queue has. */
int counts_shards(const struct queue_counts *c);

/* counts_is_paused: all of its shards are, so that takers get nothing. counts_pause: that in a word, or "-". */
bool counts_is_paused(const struct queue_counts *c);
const char *counts_pause(const struct queue_counts *c);

#define LATENESS_MAX 42 /* no time is later than 2^42 ms */

/* counts_lateness: late[K] is how many deliveries were less than 2^K ms late, and not less than 2^(K-1). */
void counts_lateness(const struct queue_counts *c, int64_t late[LATENESS_MAX + 1]);

#endif
