#include "rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "counts.h"
#include "../limited.h"

static const char *const counters[ROW_COUNTERS] = {"put", "taken", "acked", "retried", "dead"};

const char *const rows_late[ROWS_LATE] = {"<1ms", "<8ms", "<64ms", "<1s", "<8s", "<1m", "more"};

static void group_lateness(const struct queue_counts *c, int64_t groups[ROWS_LATE])
{
	static const int last[ROWS_LATE] = {0, 3, 6, 10, 13, 16, LATENESS_MAX};
	int64_t late[LATENESS_MAX + 1];
	int k = 0;

	counts_lateness(c, late);
	for (int i = 0; i < ROWS_LATE; i++)
		for (groups[i] = 0; k <= last[i]; k++)
			groups[i] += late[k];
}

int rows_add(struct rows *r, const char *name, const struct queue_counts *c)
{
	struct row *row;

	if (r->count == r->cap) {
		size_t cap = r->cap ? r->cap * 2 : 16;
		struct row *items = realloc(r->items, cap * sizeof *items);
		if (!items)
			return -1;
		r->items = items;
		r->cap = cap;
	}
	row = &r->items[r->count++];
	row->busy = false;
	snprintf(row->name, sizeof row->name, "%s", name);
	for (size_t i = 0; i < ROW_COUNTERS; i++)
		row->counters[i] = counts_counter(c, counters[i]);
	row->shards = counts_shards(c);
	group_lateness(c, row->late);
	row->counts = *c;
	memset(&row->counts.call, 0, sizeof row->counts.call); /* its owner frees it */
	row->counts.sums = NULL;
	row->counts.counters = 0;
	return 0;
}

bool row_is_late(const struct row *r)
{
	return metric_value(&r->counts, METRIC_LATE) >= ROWS_LATE_MS &&
	       !limited_at_work(&r->counts);
}

bool row_in_trouble(const struct row *r)
{
	return r->counts.dead > 0 || row_is_late(r);
}

bool row_is_idle(const struct row *r)
{
	const struct queue_counts *c = &r->counts;

	return c->delayed + c->due + c->ready + c->leased + c->dead == 0 && !c->paused && !r->busy;
}

static int rank(const struct row *r)
{
	return row_in_trouble(r) ? 0 : row_is_idle(r) ? 2 : 1;
}

static int larger(int64_t a, int64_t b)
{
	return a > b ? -1 : a < b;
}

static int compare(const void *left, const void *right)
{
	const struct row *a = left, *b = right;
	int64_t late_a = row_is_late(a) ? metric_value(&a->counts, METRIC_LATE) : 0;
	int64_t late_b = row_is_late(b) ? metric_value(&b->counts, METRIC_LATE) : 0;
	int by = rank(a) - rank(b);

	if (by == 0)
		by = larger(late_a, late_b);
	if (by == 0)
		by = larger(a->counts.dead, b->counts.dead);
	return by ? by : strcmp(a->name, b->name);
}

void rows_sort(struct rows *r)
{
	if (r->count > 1)
		qsort(r->items, r->count, sizeof *r->items, compare);
}

void rows_free(struct rows *r)
{
	free(r->items);
	memset(r, 0, sizeof *r);
}

void cell_number(int64_t n, char out[CELL_TEXT])
{
	static const char units[] = "kMGTP";
	int unit = -1;
	int64_t part = 0; /* tenths of the unit */

	if (n < 100000) {
		snprintf(out, CELL_TEXT, "%lld", (long long)n);
		return;
	}
	for (; n >= 1000 && units[unit + 1]; unit++) {
		part = n % 1000 / 100;
		n /= 1000;
	}
	if (n < 10)
		snprintf(out, CELL_TEXT, "%lld.%lld%c", (long long)n, (long long)part, units[unit]);
	else
		snprintf(out, CELL_TEXT, "%lld%c", (long long)n, units[unit]);
}

void cell_metric(const struct row *r, enum metric m, char out[CELL_TEXT])
{
	int64_t n = metric_value(&r->counts, m);

	if (metric_is_span(m))
		duration_age(n, out);
	else
		cell_number(n, out);
}
