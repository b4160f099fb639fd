#include "view.h"

#include <stdio.h>
#include <string.h>

#include "base/duration.h"
#include "base/time.h"
#include "../limited.h"
#include "../table/overview.h"
#include "../term.h"

#define WIDE 160     /* room for a sparkline of each rate */
#define NUMBERS 38   /* columns from DELAYED to LATE */
#define FAILING 8    /* the same of FAILING, which is shown if there are such messages */
#define LIMITED 8    /* and of LIMITED, if there are such queues */
#define RETRYING 9   /* and of RETRYING, beside FAILING */
#define RATE 6
#define NAME_LEAST 8
#define SPARK_LEAST 3
#define REVERSE "\033[7m"

static const char *const orders[ORDERS] = {"trouble", "name", "delayed", "ready", "late", "put"};
static const char *const rates[ROW_COUNTERS] = {"put", "take", "ack", "retry", "dead"};

/* --- parts of lines --- */

void view_rate(double rate, char out[CELL_TEXT])
{
	if (rate < 0)
		snprintf(out, CELL_TEXT, "-");
	else if (rate > 0 && rate < 9.95)
		snprintf(out, CELL_TEXT, "%.1f", rate);
	else
		cell_number((int64_t)(rate + 0.5), out);
}

/* view_spark: with less room than points, each character is the mean of several. The newest points
 * are on the right. */
void view_spark(struct canvas *c, const struct track *t, enum row_counter counter, int width)
{
	int each = width > 0 ? (TRACK_POINTS + width - 1) / width : 1, count = TRACK_POINTS / each;
	double means[TRACK_POINTS] = {0}, max = 0;

	for (int i = 0; t && i < count * each && i < t->points; i++)
		means[count - 1 - i / each] += (double)t->rate[counter][TRACK_POINTS - 1 - i] /
					       each;
	for (int i = 0; i < count; i++)
		max = means[i] > max ? means[i] : max;
	for (int i = 0; i < width; i++)
		canvas_level(c, i < width - count ? 0 : means[i - (width - count)], max);
}

/* span_text: there is room only for the greatest unit. */
static void span_text(const struct row *r, enum metric m, char out[CELL_TEXT])
{
	cell_metric(r, m, out);
	for (char *at = out; *at; at++)
		if (strchr("dhm", *at) && at[1] >= '0' && at[1] <= '9')
			at[1] = 0;
}

void view_late(const struct view *v, const struct row *only, int64_t late[ROWS_LATE])
{
	memset(late, 0, ROWS_LATE * sizeof *late);
	for (size_t i = 0; i < v->rows.count; i++) {
		const struct row *r = &v->rows.items[i];
		const struct track *t = !only || r == only ? history_find(&v->history, r->name) :
							     NULL;
		for (int k = 0; t && k < ROWS_LATE; k++)
			late[k] += t->late[k] - t->late_first[k];
	}
}

const char *const view_due[DUE_BOUNDS + 1] = {"1m", "5m", "15m", "1h", "6h", "1d", "7d", "later"};

static void histogram(struct canvas *c, const char *title, const char *const *names,
		      const int64_t *counts, int n)
{
	double max = 0;

	if (!canvas_line(c))
		return;
	canvas_text(c, title);
	for (int i = 0; i < n; i++)
		max = (double)counts[i] > max ? (double)counts[i] : max;
	for (int i = 0; i < n; i++) {
		canvas_format(c, "  %s ", names[i]);
		canvas_level(c, (double)counts[i], max);
	}
}

/* --- lines --- */

struct layout {
	int name, spark, numbers;
	bool wide, failing, limited, retrying;
};

static bool is_failing(const struct row *r)
{
	return r->counts.retrying > 0;
}

static bool is_limited(const struct row *r)
{
	return r->counts.paused || r->counts.why != LIMIT_NONE;
}

static bool any(const struct view *v, bool (*is)(const struct row *r))
{
	for (size_t i = 0; i < view_busy(v); i++)
		if (is(&v->rows.items[i]))
			return true;
	return false;
}

/* has_room: for so many columns more, beside the shortest names and three rates? */
static bool has_room(const struct view *v, const struct layout *l, int more)
{
	return v->columns >= NAME_LEAST + l->numbers + more + 3 * RATE;
}

static struct layout lay_out(const struct view *v)
{
	struct layout l = {.name = NAME_LEAST, .numbers = NUMBERS, .wide = v->columns >= WIDE};
	int rest, most, least;

	l.failing = has_room(v, &l, FAILING) && any(v, is_failing);
	l.numbers += l.failing ? FAILING : 0;
	l.limited = has_room(v, &l, LIMITED) && any(v, is_limited);
	l.numbers += l.limited ? LIMITED : 0;
	l.retrying = l.failing && has_room(v, &l, RETRYING);
	l.numbers += l.retrying ? RETRYING : 0;
	rest = v->columns - l.numbers;
	/* sparklines go before names are cut, and rates before cut names look the same */
	most = l.wide ? 40 : rest - 3 * RATE;
	for (size_t i = 0; i < view_busy(v); i++) {
		int len = (int)strlen(v->rows.items[i].name);
		if (len > l.name)
			l.name = len;
	}
	least = overview_width(&v->rows, view_busy(v), l.name);
	if (l.name > most)
		l.name = most > least ? most : least < rest ? least : rest;
	if (l.name < NAME_LEAST)
		l.name = NAME_LEAST;
	rest -= l.name;
	l.spark = l.wide ? rest / ROW_COUNTERS - RATE - 2 : rest - 3 * RATE - 2;
	if (l.spark > TRACK_POINTS)
		l.spark = TRACK_POINTS;
	if (l.spark < SPARK_LEAST)
		l.spark = 0;
	return l;
}

/* cut_words drops whole words that do not fit, but keeps the first three: "dq", the server,
 * its kind. */
static void cut_words(char *text, int room)
{
	char *keep = text;

	for (int i = 0; i < 3 && *keep; i++)
		keep += strspn(keep, " ") + strcspn(keep + strspn(keep, " "), " ");
	while ((int)strlen(text) > room && text + strlen(text) > keep)
		*(strrchr(text, ' ') > keep ? strrchr(text, ' ') : keep) = '\0';
}

static void head(const struct view *v, struct canvas *c)
{
	char every[DURATION_TEXT], clock[TIME_TEXT] = "", left[300], right[160];
	int64_t now = v->rows.count ? v->rows.items[0].counts.now : 0;
	int room;

	if (!canvas_line(c))
		return;
	duration_exact(v->every, every);
	if (now)
		time_format(now, clock);
	snprintf(right, sizeof right, "%zu queue%s  %s%s%s%.8s", v->rows.count,
		 v->rows.count == 1 ? "" : "s", v->stopped ? "stopped" : "every ",
		 v->stopped ? "" : every, now ? "  " : "", now ? clock + 11 : "");
	snprintf(left, sizeof left, "dq  %s  %s", v->server, v->who);
	room = c->left - (int)strlen(right) - 2;
	cut_words(left, room);
	if (room > 0)
		canvas_format(c, "%-*.*s  ", room, room, left);
	canvas_text(c, right);
}

/* titles: n rows are shown below it, perhaps of more. */
static void titles(const struct view *v, struct canvas *c, const struct layout *l, size_t n)
{
	char span[DURATION_TEXT], part[80] = "";

	if (!canvas_line(c))
		return;
	duration_exact((v->every * TRACK_POINTS + 500) / 1000 * 1000, span);
	if (v->trouble[0]) {
		canvas_style(c, TERM_RED);
		canvas_text(c, v->trouble);
		canvas_style(c, NULL);
	} else {
		if (n < view_busy(v))
			snprintf(part, sizeof part, "%zu-%zu of %zu", v->first + 1, v->first + n,
				 view_busy(v));
		canvas_format(c, "%-*s  per second", l->name + l->numbers, part);
		if (l->spark > 0)
			canvas_format(c, ", last %s", span);
	}
	if (!canvas_line(c))
		return;
	canvas_format(c, "%-*s%8s%5s%6s%7s%5s%7s", l->name, "QUEUE", "DELAYED", "DUE", "READY",
		      "LEASED", "DEAD", "LATE");
	if (l->retrying)
		canvas_format(c, "%*s", RETRYING, "RETRYING");
	if (l->failing)
		canvas_format(c, "%*s", FAILING, "FAILING");
	if (l->limited)
		canvas_format(c, "%*s", LIMITED, "LIMITED");
	for (enum row_counter i = ROW_PUT; i < ROW_COUNTERS; i++)
		if (l->wide)
			canvas_format(c, "%*s  %*s", RATE, rates[i], l->spark, "");
		else if (i == ROW_PUT || i == ROW_ACKED || i == ROW_RETRIED)
			canvas_format(c, "%*s", RATE, rates[i]);
	if (!l->wide && l->spark > 0)
		canvas_format(c, "  %*s", l->spark, "ack");
}

/* numbers: mark precedes the first number. */
static void numbers(struct canvas *c, const struct row *r, const char *mark)
{
	static const struct {
		enum metric metric;
		int width;
	} cells[] = {{METRIC_DELAYED, 7}, {METRIC_DUE, 5}, {METRIC_READY, 6}, {METRIC_LEASED, 7},
		     {METRIC_DEAD, 5}, {METRIC_LATE, 7}};
	char text[CELL_TEXT];

	canvas_text(c, mark);
	for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
		bool dead = cells[i].metric == METRIC_DEAD && r->counts.dead > 0;
		bool late = cells[i].metric == METRIC_LATE && row_is_late(r);
		cell_metric(r, cells[i].metric, text);
		if (cells[i].metric == METRIC_LATE)
			span_text(r, METRIC_LATE, text);
		canvas_format(c, "%*s", cells[i].width - (int)strlen(text), "");
		if (dead || late)
			canvas_style(c, dead ? TERM_RED : TERM_YELLOW);
		canvas_text(c, text);
		if (dead || late)
			canvas_style(c, NULL);
	}
}

static void row(const struct view *v, struct canvas *c, const struct layout *l, const struct row *r)
{
	const struct track *t = history_find(&v->history, r->name);
	bool selected = !strcmp(r->name, v->selected);
	char text[CELL_TEXT], name[ROW_NAME], why[DURATION_TEXT];

	overview_name(r->name, l->name, name);
	if (selected)
		canvas_style(c, REVERSE);
	canvas_format(c, "%-*s", l->name, name);
	if (selected)
		canvas_style(c, NULL);
	numbers(c, r, selected ? "<" : " ");
	if (l->retrying) {
		cell_metric(r, METRIC_RETRYING, text);
		canvas_format(c, "%*s", RETRYING, text);
	}
	if (l->failing) {
		span_text(r, METRIC_FAILING, text);
		canvas_format(c, "%*s", FAILING, text);
	}
	if (l->limited) {
		limited_cell(&r->counts, why);
		canvas_format(c, "%*s", LIMITED, why);
	}
	for (enum row_counter i = ROW_PUT; i < ROW_COUNTERS; i++) {
		if (!l->wide && i != ROW_PUT && i != ROW_ACKED && i != ROW_RETRIED)
			continue;
		view_rate(track_rate(t, i), text);
		canvas_format(c, "%*s%s", RATE, text, l->wide ? "  " : "");
		if (l->wide)
			view_spark(c, t, i, l->spark);
	}
	if (!l->wide && l->spark > 0) {
		canvas_text(c, "  ");
		view_spark(c, t, ROW_ACKED, l->spark);
	}
}

static void table(const struct view *v, struct canvas *c)
{
	struct layout l = lay_out(v);
	struct buf idle = {NULL, 0, 0};
	int64_t late[ROWS_LATE];
	size_t from, n = view_shown(v, &from);

	titles(v, c, &l, n);
	for (size_t i = from; i < from + n && canvas_line(c); i++)
		row(v, c, &l, &v->rows.items[i]);
	if (v->rows.count == 0 && canvas_line(c))
		canvas_text(c, "no queues yet");
	if (view_busy(v) < v->rows.count && canvas_line(c)) {
		c->failed = c->failed ||
			    overview_idle(&idle, &v->rows, view_busy(v), v->columns,
					  "a shows all") < 0 ||
			    buf_char(&idle, 0) < 0;
		canvas_text(c, idle.bytes ? idle.bytes : "");
		buf_free(&idle);
	}
	view_late(v, NULL, late);
	histogram(c, "due in", view_due, v->due, DUE_BOUNDS + 1);
	histogram(c, "late  ", rows_late, late, ROWS_LATE);
}

void view_draw(const struct view *v, struct canvas *c)
{
	const struct row *selected = v->one ? view_selected(v) : NULL;

	c->columns = v->columns;
	c->rows = v->height > 1 ? v->height - 1 : 1; /* the last line has the keys */
	head(v, c);
	if (selected)
		view_one(v, c, selected);
	else
		table(v, c);
	c->rows = v->height;
	if (canvas_line(c))
		canvas_format(c, "q quit  s sort: %s  %s  space %s", orders[v->order],
			      selected ? "left all queues" : "arrows, enter one queue",
			      v->stopped ? "go on" : "stop");
	canvas_end(c);
}
