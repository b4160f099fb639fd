/* rows: the numbers of queues, kept to be sorted and shown to people. Pure. */
#ifndef DQ_ROWS_H
#define DQ_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "metric.h"

#define ROWS_LATE_MS 10000 /* tools that promote need some ms: later than this, none does */

#define ROWS_LATE 7

enum row_counter { ROW_PUT, ROW_TAKEN, ROW_ACKED, ROW_RETRIED, ROW_DEAD, ROW_COUNTERS };

struct row {
	char name[NAME_MAX_BYTES + 8]; /* or the tag of a shard */
	struct queue_counts counts; /* without its counters */
	int64_t counters[ROW_COUNTERS];
	int shards;
	bool busy;                   /* something was counted lately (tracks.h) */
	int64_t late[ROWS_LATE];     /* deliveries by how late they were: below 1ms 8ms 64ms 1s 8s 1m, and later */
};

/* Zero-initialise to start; rows_free to end. */
struct rows {
	struct row *items;
	size_t count, cap;
};

/* rows_add copies what is needed of c. 0, or -1: memory is out. */
int rows_add(struct rows *r, const char *name, const struct queue_counts *c);

/* rows_sort: those in trouble first, the latest of them first, then those with more dead messages; then those in use; then the idle ones;
 * by name where all else is equal. */
void rows_sort(struct rows *r);

bool row_is_late(const struct row *r);    /* due messages that no tool promotes */
bool row_in_trouble(const struct row *r); /* late, or dead messages */
bool row_is_idle(const struct row *r);    /* no messages, not paused, and not busy */
void rows_free(struct rows *r);

/* rows_late: the bound of that group of deliveries, as text; the last one has none. */
extern const char *const rows_late[ROWS_LATE];

#define CELL_TEXT 48

/* cell_number writes n in at most 5 characters: 12345 123k 1.2M 12M. cell_metric writes a number of a queue so, or a span as
 * duration_age. */
void cell_number(int64_t n, char out[CELL_TEXT]);
void cell_metric(const struct row *r, enum metric m, char out[CELL_TEXT]);

#endif
