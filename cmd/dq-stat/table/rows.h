/* rows: the numbers of queues, for sorting and showing to people. Pure. */
#ifndef DQ_ROWS_H
#define DQ_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "../metric.h"

/* tools that promote need some ms; a message later than this is promoted by none */
#define ROWS_LATE_MS 10000

#define ROWS_LATE 7
#define ROW_NAME (NAME_MAX_BYTES + 8)

enum row_counter { ROW_PUT, ROW_TAKEN, ROW_ACKED, ROW_RETRIED, ROW_DEAD, ROW_COUNTERS };

struct row {
	char name[ROW_NAME]; /* or of a shard: its tag */
	struct queue_counts counts; /* without its counters */
	int64_t counters[ROW_COUNTERS];
	int shards;
	bool busy;                   /* counters changed lately: history.h */
	int64_t late[ROWS_LATE];     /* deliveries by lateness: below 1ms 8ms 64ms 1s 8s 1m,
	                              * and later */
};

/* Zero-initialise to start; rows_free to end. */
struct rows {
	struct row *items;
	size_t count, cap;
};

/* rows_add copies what it needs of c. Returns 0, or -1 if out of memory. */
int rows_add(struct rows *r, const char *name, const struct queue_counts *c);

/* rows_sort: queues in trouble first: the latest one, then those with more dead messages; then
 * queues in use; then idle queues. Equal ones are sorted by name. */
void rows_sort(struct rows *r);

bool row_is_late(const struct row *r);    /* due messages that no tool promotes */
bool row_in_trouble(const struct row *r); /* late, or dead messages */
bool row_is_idle(const struct row *r);    /* no messages, not paused, and not busy */
void rows_free(struct rows *r);

/* rows_late: the upper bound of each group of deliveries, as text; the last group has none. */
extern const char *const rows_late[ROWS_LATE];

#define CELL_TEXT 48

/* cell_number writes n in at most 5 characters: 12345 123k 1.2M 12M. */
void cell_number(int64_t n, char out[CELL_TEXT]);

/* cell_metric writes a number of a queue that way, or a span as duration_age does. */
void cell_metric(const struct row *r, enum metric m, char out[CELL_TEXT]);

#endif
