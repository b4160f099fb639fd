#include "history.h"

#include <stdlib.h>
#include <string.h>

static int by_name(const void *a, const void *b)
{
	return strcmp((*(struct track *const *)a)->name, (*(struct track *const *)b)->name);
}

static int is_named(const void *name, const void *track)
{
	return strcmp(name, (*(struct track *const *)track)->name);
}

static struct track **find(const struct history *t, const char *name)
{
	return t->count ? bsearch(name, t->items, t->count, sizeof(struct track *), is_named) :
			  NULL;
}

const struct track *history_find(const struct history *t, const char *name)
{
	struct track **at = find(t, name);

	return at ? *at : NULL;
}

/* add_point: a counter that fell belongs to a queue that was removed and made again. */
static void add_point(struct track *t, enum row_counter c, int64_t now, int64_t value)
{
	int64_t more = value >= t->last[c] ? value - t->last[c] : value;
	int64_t ms = now > t->now ? now - t->now : 1;

	memmove(t->rate[c], t->rate[c] + 1, (TRACK_POINTS - 1) * sizeof *t->rate[c]);
	t->rate[c][TRACK_POINTS - 1] = (float)((double)more * 1000 / (double)ms);
}

/* go_on adds the points of a poll. The first poll only sets the start values. */
static void go_on(struct track *t, const struct row *r, bool first)
{
	t->quiet = first ? TRACK_POINTS : t->quiet + (t->quiet < TRACK_POINTS);
	for (enum row_counter c = ROW_PUT; c < ROW_COUNTERS; c++) {
		if (!first && r->counters[c] != t->last[c])
			t->quiet = 0;
		if (!first)
			add_point(t, c, r->counts.now, r->counters[c]);
		t->last[c] = r->counters[c];
	}
	for (int i = 0; i < ROWS_LATE; i++) {
		t->late[i] = r->late[i];
		if (first || t->late[i] < t->late_first[i])
			t->late_first[i] = t->late[i];
	}
	t->points += !first && t->points < TRACK_POINTS;
	t->now = r->counts.now;
}

static struct track *start(const char *name)
{
	struct track *t = calloc(1, sizeof *t);

	if (t)
		memcpy(t->name, name, strlen(name) + 1);
	return t;
}

/* gather makes next from rows, with the tracks of t; new tracks are in fresh, too. */
static int gather(struct history *next, struct history *fresh, const struct history *t,
		  struct rows *rows)
{
	for (size_t i = 0; i < rows->count; i++) {
		struct row *r = &rows->items[i];
		struct track **old = find(t, r->name), *one = old ? *old : start(r->name);

		if (!one)
			return -1;
		if (!old)
			fresh->items[fresh->count++] = one;
		go_on(one, r, !old);
		r->busy = one->quiet < TRACK_POINTS;
		next->items[next->count++] = one;
	}
	return 0;
}

int history_next(struct history *t, struct rows *rows)
{
	struct history next = {calloc(rows->count + 1, sizeof(struct track *)), 0};
	struct history fresh = {calloc(rows->count + 1, sizeof(struct track *)), 0};

	if (!next.items || !fresh.items || gather(&next, &fresh, t, rows) < 0) {
		free(next.items); /* the old tracks remain in t */
		history_free(&fresh);
		return -1;
	}
	free(fresh.items);
	qsort(next.items, next.count, sizeof(struct track *), by_name);
	for (size_t i = 0; i < t->count; i++)
		if (!find(&next, t->items[i]->name))
			free(t->items[i]);
	free(t->items);
	*t = next;
	return 0;
}

double track_rate(const struct track *t, enum row_counter c)
{
	return t && t->points ? (double)t->rate[c][TRACK_POINTS - 1] : -1;
}

void history_free(struct history *t)
{
	for (size_t i = 0; i < t->count; i++)
		free(t->items[i]);
	free(t->items);
	memset(t, 0, sizeof *t);
}
