#include "overview.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "counts.h"
#include "../limited.h"
#include "../term.h"

#define NAME_LEAST 8
#define GAP 2

enum {
	DELAYED, DUE, READY, LEASED, DEAD, OLDEST, LATE, NEXT, LIMITED, EXPIRED, RETRYING, FAILING,
	HELD, BLOCKED, COLUMNS
};

static const struct {
	const char *title;
	enum metric metric;
} columns[COLUMNS] = {
	{"DELAYED", METRIC_DELAYED}, {"DUE", METRIC_DUE}, {"READY", METRIC_READY},
	{"LEASED", METRIC_LEASED}, {"DEAD", METRIC_DEAD}, {"OLDEST", METRIC_OLDEST},
	{"LATE", METRIC_LATE}, {"NEXT", METRIC_COUNT}, {"LIMITED", METRIC_COUNT},
	{"EXPIRED", METRIC_EXPIRED}, {"RETRYING", METRIC_RETRYING}, {"FAILING", METRIC_FAILING},
	{"HELD", METRIC_HELD}, {"BLOCKED", METRIC_BLOCKED},
};

static void cell(const struct row *r, int column, char out[CELL_TEXT])
{
	const struct queue_counts *c = &r->counts;

	if (column == NEXT)
		duration_age(c->next_due < 0 ? -1 : c->next_due - c->now, out);
	else if (column == LIMITED)
		limited_cell(c, out);
	else
		cell_metric(r, columns[column].metric, out);
}

static const char *colour(const struct row *r, int column)
{
	if (column == DEAD && r->counts.dead > 0)
		return TERM_RED;
	return column == LATE && row_is_late(r) ? TERM_YELLOW : NULL;
}

/* The widths of a table; 0: the column is not shown. */
struct widths {
	int name;
	int column[COLUMNS];
};

static int wider(int a, int b)
{
	return a > b ? a : b;
}

/* is_needed: a column that is usually empty is shown only if a queue has a value for it. */
static bool is_needed(const struct rows *rows, size_t count, int column)
{
	for (size_t i = 0; i < count; i++) {
		const struct queue_counts *c = &rows->items[i].counts;
		if (column == LIMITED ? c->paused || c->why != LIMIT_NONE :
		    column == EXPIRED ? c->expired != 0 :
		    column == HELD    ? c->held != 0 :
		    column == BLOCKED ? c->first_blocked >= 0 :
					c->retrying != 0)
			return true;
	}
	return column < LIMITED;
}

/* is_empty: no queue has anything in that column. */
static bool is_empty(const struct rows *rows, size_t count, int column)
{
	char text[CELL_TEXT];

	for (size_t i = 0; i < count; i++) {
		cell(&rows->items[i], column, text);
		if (strcmp(text, "0") != 0 && strcmp(text, "-") != 0)
			return false;
	}
	return true;
}

static int compare(const void *left, const void *right)
{
	return strcmp(left, right);
}

/* is_distinct: do all names look different with that width? names: room for them. */
static bool is_distinct(const struct rows *rows, size_t count, int width, char (*names)[ROW_NAME])
{
	size_t i = 1;

	for (size_t k = 0; k < count; k++)
		overview_name(rows->items[k].name, width, names[k]);
	if (count > 1)
		qsort(names, count, sizeof *names, compare);
	while (i < count && strcmp(names[i - 1], names[i]) != 0)
		i++;
	return i >= count;
}

int overview_width(const struct rows *rows, size_t count, int longest)
{
	char(*names)[ROW_NAME] = count ? malloc(count * sizeof *names) : NULL;
	int least = longest < NAME_LEAST ? longest : NAME_LEAST, most = longest;

	while (names && least < most) {
		int middle = least + (most - least) / 2;
		if (is_distinct(rows, count, middle, names))
			most = middle;
		else
			least = middle + 1;
	}
	free(names);
	return least;
}

/* drop: what it does not show makes room. Returns the new sum of widths. */
static int drop(struct widths *w, int column, int sum)
{
	int gone = w->column[column] ? w->column[column] + GAP : 0;

	w->column[column] = 0;
	return sum - gone;
}

/* measure: a narrow terminal loses the empty columns first, then the middle of names, as long as
 * they differ, then the least important columns. */
static void measure(struct widths *w, const struct rows *rows, size_t count, int width)
{
	static const int empty_to_go[] = {LATE, DUE, NEXT, OLDEST, LEASED, DELAYED};
	static const int first_to_go[] = {HELD, EXPIRED, RETRYING, NEXT, OLDEST, LIMITED, LEASED,
					  BLOCKED, DELAYED};
	char text[CELL_TEXT];
	int sum = 0, least;

	w->name = (int)strlen("QUEUE");
	for (size_t i = 0; i < count; i++)
		w->name = wider(w->name, (int)strlen(rows->items[i].name));
	for (int c = 0; c < COLUMNS; c++) {
		w->column[c] = is_needed(rows, count, c) ? (int)strlen(columns[c].title) : 0;
		for (size_t i = 0; w->column[c] && i < count; i++) {
			cell(&rows->items[i], c, text);
			w->column[c] = wider(w->column[c], (int)strlen(text));
		}
		sum += w->column[c] ? w->column[c] + GAP : 0;
	}
	for (size_t i = 0;
	     i < sizeof empty_to_go / sizeof *empty_to_go && width - sum < w->name; i++)
		if (is_empty(rows, count, empty_to_go[i]))
			sum = drop(w, empty_to_go[i], sum);
	least = overview_width(rows, count, w->name);
	for (size_t i = 0; i < sizeof first_to_go / sizeof *first_to_go && width - sum < least; i++)
		sum = drop(w, first_to_go[i], sum);
	if (w->name > width - sum)
		w->name = wider(width - sum, least);
}

void overview_name(const char *name, int width, char out[ROW_NAME])
{
	int len = (int)strlen(name), tail = (width - 1) / 2;

	if (len <= width)
		snprintf(out, ROW_NAME, "%s", name);
	else
		snprintf(out, ROW_NAME, "%.*s~%s", width - 1 - tail, name, name + len - tail);
}

static int add_header(struct buf *out, const struct widths *w)
{
	if (buf_format(out, "%-*s", w->name, "QUEUE") < 0)
		return -1;
	for (int c = 0; c < COLUMNS; c++)
		if (w->column[c] &&
		    buf_format(out, "%*s%*s", GAP, "", w->column[c], columns[c].title) < 0)
			return -1;
	return buf_char(out, '\n');
}

static int add_row(struct buf *out, const struct widths *w, const struct row *r, bool colours)
{
	char name[ROW_NAME], text[CELL_TEXT];

	overview_name(r->name, w->name, name);
	if (buf_format(out, "%-*s", w->name, name) < 0)
		return -1;
	for (int c = 0; c < COLUMNS; c++) {
		const char *on = colours ? colour(r, c) : NULL;
		if (!w->column[c])
			continue;
		cell(r, c, text);
		if (buf_format(out, "%*s%s%s%s", GAP + w->column[c] - (int)strlen(text), "",
			       on ? on : "", text, on ? TERM_PLAIN : "") < 0)
			return -1;
	}
	return buf_char(out, '\n');
}

int overview_idle(struct buf *out, const struct rows *rows, size_t first, int width,
		  const char *hint)
{
	size_t all = rows->count - first, left = all, start = out->len;
	int more = (int)strlen(", and 9999999 more; ") + (int)strlen(hint);
	const char *comma = "";

	if (buf_format(out, "%zu idle: ", all) < 0)
		return -1;
	for (size_t i = first; i < rows->count; i++, left--) {
		const char *name = rows->items[i].name;
		int len = (int)(out->len - start + strlen(comma) + strlen(name));
		if (len > width - (left > 1 ? more : 0))
			break;
		if (buf_format(out, "%s%s", comma, name) < 0)
			return -1;
		comma = ", ";
	}
	if (left == all)
		out->len -= 2; /* there is no room for one name */
	else if (left > 0 && buf_format(out, ", and %zu more", left) < 0)
		return -1;
	return left > 0 && *hint && buf_format(out, "; %s", hint) < 0 ? -1 : 0;
}

int overview_write(struct buf *out, struct rows *rows, const struct table_style *style)
{
	struct widths w;
	size_t shown = 0;

	rows_sort(rows);
	while (shown < rows->count && (style->idle || !row_is_idle(&rows->items[shown])))
		shown++;
	measure(&w, rows, shown, style->width);
	if (style->header && (shown > 0 || rows->count == 0) && add_header(out, &w) < 0)
		return -1;
	for (size_t i = 0; i < shown; i++)
		if (add_row(out, &w, &rows->items[i], style->colour) < 0)
			return -1;
	if (shown == rows->count)
		return 0;
	if (overview_idle(out, rows, shown, style->width, "-a shows all") < 0)
		return -1;
	return buf_char(out, '\n');
}

void overview_hint(const struct rows *rows, char *out, size_t cap)
{
	const struct row *first = NULL;
	char age[DURATION_TEXT], others[48] = "";
	size_t late = 0;

	*out = 0;
	for (size_t i = 0; i < rows->count; i++)
		if (row_is_late(&rows->items[i])) {
			first = first ? first : &rows->items[i];
			late++;
		}
	if (!first)
		return;
	duration_age(metric_value(&first->counts, METRIC_LATE), age);
	if (late > 1)
		snprintf(others, sizeof others, " (and %zu other queue%s)", late - 1,
			 late == 2 ? "" : "s");
	snprintf(out, cap, "%s%s: due for %s, not promoted: run dq-promote -f, dq-take or dq-run",
		 first->name, others, age);
}
