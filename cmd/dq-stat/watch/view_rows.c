#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view.h"

#define AROUND 8 /* other lines: head, two of titles, idle, two histograms, keys, and a blank one */

static const struct view *sorting; /* qsort passes no context */

static double weight(const struct row *r)
{
	switch (sorting->order) {
	case ORDER_DELAYED:
		return (double)r->counts.delayed;
	case ORDER_READY:
		return (double)(r->counts.ready + r->counts.due);
	case ORDER_LATE:
		return (double)metric_value(&r->counts, METRIC_LATE);
	case ORDER_PUT:
		return track_rate(history_find(&sorting->history, r->name), ROW_PUT);
	default:
		return 0;
	}
}

static int compare(const void *left, const void *right)
{
	const struct row *a = left, *b = right;
	double x = weight(a), y = weight(b);
	int idle = (int)row_is_idle(a) - (int)row_is_idle(b);

	return idle ? idle : x != y ? (x < y) - (x > y) : strcmp(a->name, b->name);
}

/* view_busy: in every order idle queues come last. */
size_t view_busy(const struct view *v)
{
	size_t n = v->rows.count;

	while (!v->idle && n > 0 && row_is_idle(&v->rows.items[n - 1]))
		n--;
	return n;
}

static size_t room(const struct view *v)
{
	return v->height > AROUND ? (size_t)(v->height - AROUND) : 1;
}

static size_t place(const struct view *v)
{
	size_t i = 0;

	while (i < v->rows.count && strcmp(v->rows.items[i].name, v->selected) != 0)
		i++;
	return i;
}

void view_arrange(struct view *v)
{
	size_t at, all;

	rows_sort(&v->rows);
	sorting = v;
	if (v->order != ORDER_TROUBLE && v->rows.count > 1)
		qsort(v->rows.items, v->rows.count, sizeof *v->rows.items, compare);
	all = view_busy(v);
	at = place(v);
	if (at < all && at < v->first)
		v->first = at;
	if (at < all && at >= v->first + room(v))
		v->first = at + 1 - room(v);
	if (v->first + room(v) > all)
		v->first = all > room(v) ? all - room(v) : 0;
}

size_t view_shown(const struct view *v, size_t *from)
{
	size_t all = view_busy(v);

	*from = v->first;
	if (v->one && v->selected[0]) {
		*from = place(v);
		return *from < v->rows.count;
	}
	return all - v->first < room(v) ? all - v->first : room(v);
}

const struct row *view_selected(const struct view *v)
{
	size_t at = v->selected[0] ? place(v) : v->rows.count;

	return at < v->rows.count ? &v->rows.items[at] : NULL;
}

void view_move(struct view *v, int rows)
{
	size_t all = view_busy(v), at = place(v);

	if (all == 0)
		return;
	if (!v->selected[0] || at >= all)
		at = 0;
	else if (rows < 0)
		at -= at > 0;
	else
		at += at + 1 < all;
	snprintf(v->selected, sizeof v->selected, "%.*s", NAME_MAX_BYTES, v->rows.items[at].name);
}
