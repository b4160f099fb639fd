#include <stdio.h>
#include <string.h>

#include "base/duration.h"
#include "../limited.h"
#include "../term.h"
#include "view.h"

#define BAR 20

static const char *const rates[ROW_COUNTERS] = {"put", "take", "ack", "retry", "dead"};

static void limited(struct canvas *c, const struct queue_counts *counts)
{
	char why[DURATION_TEXT], blocked[DURATION_TEXT];

	limited_cell(counts, why);
	if (limited_paused(counts) && counts->pause_until >= 0)
		canvas_format(c, "  paused for %s", why);
	else if (counts->paused)
		canvas_text(c, counts->open_shards ? "  partly paused" : "  paused");
	else if (counts->why != LIMIT_NONE)
		canvas_format(c, "  limited by %s",
			      counts->why == LIMIT_LEASED ? "max-leased" :
							    limited_word(counts->why));
	if (counts->first_blocked < 0)
		return;
	duration_age(metric_value(counts, METRIC_BLOCKED), blocked);
	canvas_format(c, "  key %s blocked for %s: %s", counts->blocked_key, blocked,
		      blocked_word(counts->blocked));
}

/* limits: a line, if the queue has any. */
static void limits(struct canvas *c, const struct queue_counts *counts)
{
	char uses[LIMITED_TEXT], backlog[DURATION_TEXT];
	int64_t ms = limited_backlog(counts);

	limited_uses(counts, uses);
	if (!uses[0] || !canvas_line(c))
		return;
	canvas_text(c, uses);
	if (ms < 0)
		return;
	duration_age(ms, backlog);
	canvas_format(c, ", backlog %s", backlog);
}

static void state(const struct view *v, struct canvas *c, const struct row *r)
{
	char text[CELL_TEXT], next[DURATION_TEXT];

	if (!canvas_line(c))
		return;
	canvas_style(c, v->trouble[0] ? TERM_RED : NULL);
	canvas_text(c, v->trouble);
	canvas_style(c, NULL);
	if (!canvas_line(c))
		return;
	duration_age(r->counts.next_due < 0 ? -1 : r->counts.next_due - r->counts.now, next);
	canvas_format(c, "%s  next %s", r->name, next);
	limited(c, &r->counts);
	if (!canvas_line(c))
		return;
	for (enum metric m = METRIC_DELAYED; m < METRIC_LIMITED; m++) {
		cell_metric(r, m, text);
		canvas_format(c, "%s %s  ", metric_name(m), text);
	}
	limits(c, &r->counts);
}

static int64_t largest(const int64_t *counts, int n)
{
	int64_t max = 0;

	for (int i = 0; i < n; i++)
		max = counts[i] > max ? counts[i] : max;
	return max;
}

/* histograms draws the due times of delayed messages,
 * and beside them the lateness of deliveries. */
static void histograms(const struct view *v, struct canvas *c, const struct row *r)
{
	int64_t late[ROWS_LATE], most_due = largest(v->due, DUE_BOUNDS + 1), most_late;
	char text[CELL_TEXT];

	view_late(v, r, late);
	most_late = largest(late, ROWS_LATE);
	if (canvas_line(c))
		canvas_format(c, "%-*s  late, since the start", BAR + 14, "due in");
	for (int i = 0; i <= DUE_BOUNDS && canvas_line(c); i++) {
		cell_number(v->due[i], text);
		canvas_format(c, "%5s %6s  ", view_due[i], text);
		canvas_bar(c, (double)v->due[i], (double)most_due, BAR);
		if (i >= ROWS_LATE)
			continue;
		cell_number(late[i], text);
		canvas_format(c, "  %5s %6s  ", rows_late[i], text);
		canvas_bar(c, (double)late[i], (double)most_late, BAR);
	}
}

void view_one(const struct view *v, struct canvas *c, const struct row *r)
{
	const struct track *t = history_find(&v->history, r->name);
	char text[CELL_TEXT];

	state(v, c, r);
	if (!canvas_line(c))
		return;
	for (enum row_counter i = ROW_PUT; i < ROW_COUNTERS && canvas_line(c); i++) {
		view_rate(track_rate(t, i), text);
		canvas_format(c, "%-5s %6s/s  ", rates[i], text);
		view_spark(c, t, i, c->left < TRACK_POINTS ? c->left : TRACK_POINTS);
	}
	if (canvas_line(c))
		histograms(v, c, r);
}
