/* counts: a queue's numbers as the cells of a row for people, or as a JSON object. Pure. */
#ifndef DQ_COUNTS_H
#define DQ_COUNTS_H

#include "base/buf.h"
#include "table.h"
#include "queue/stat.h"

#define COUNTS_COLUMNS 15

/* Each returns 0, or -1 if out of memory. */
int counts_titles(struct table *t);
int counts_row(struct table *t, const char *queue, const struct queue_counts *c);
int counts_json(struct buf *out, const char *queue, const struct queue_counts *c);

/* counts_counter returns the value of that counter (dq-scripts(7), Counters), or 0 if the value is
 * not a number: a foreign client wrote it. */
int64_t counts_counter(const struct queue_counts *c, const char *wanted);

/* counts_shards returns the number of shards. */
int counts_shards(const struct queue_counts *c);

#define LATENESS_MAX 42 /* no time is later than 2^42 ms */

/* counts_lateness: late[K] is the number of deliveries that were at least 2^(K-1) ms and less than
 * 2^K ms late. */
void counts_lateness(const struct queue_counts *c, int64_t late[LATENESS_MAX + 1]);

#endif
