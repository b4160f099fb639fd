#include <math.h>

#include "dq-stat/check/threshold.h"
#include "dq-stat/watch/history.h"
#include "unit.h"

static struct row items[3];

static struct row *row(int i, const char *name, int64_t now, int64_t put)
{
	struct row *r = &items[i];

	memset(r, 0, sizeof *r);
	snprintf(r->name, sizeof r->name, "%s", name);
	r->counts.now = now;
	r->counters[ROW_PUT] = put;
	return r;
}

static bool rate_is(const struct history *t, const char *name, double wanted)
{
	return fabs(track_rate(history_find(t, name), ROW_PUT) - wanted) < 0.01;
}

static void rates(void)
{
	struct history t = {NULL, 0};
	struct rows rows = {items, 2, 3};

	row(0, "b", 1000, 70)->late[2] = 5;
	row(1, "a", 1000, 0);
	CHECK(history_next(&t, &rows) == 0);
	/* one look tells no rate */
	CHECK(rate_is(&t, "a", -1) && rate_is(&t, "b", -1) && rate_is(&t, "c", -1));
	row(0, "b", 1500, 90)->late[2] = 8;
	row(1, "a", 1250, 1);
	CHECK(history_next(&t, &rows) == 0);
	CHECK(rate_is(&t, "b", 40) && rate_is(&t, "a", 4));
	check_int(history_find(&t, "b")->late[2] - history_find(&t, "b")->late_first[2], 3);
	row(0, "b", 2500, 3); /* removed, and put into again */
	row(1, "c", 2500, 9);
	CHECK(history_next(&t, &rows) == 0);
	CHECK(rate_is(&t, "b", 3) && rate_is(&t, "c", -1) && !history_find(&t, "a"));
	check_int(history_find(&t, "b")->points, 2);
	row(0, "b", 2500, 4); /* the clock stands still */
	CHECK(history_next(&t, &rows) == 0 && rate_is(&t, "b", 1000));
	rows.count = 0;
	CHECK(history_next(&t, &rows) == 0 && t.count == 0);
	history_free(&t);
	history_free(&t);
}

/* A queue that is empty at each look, but was in use a while ago. */
static void busy(void)
{
	struct history t = {NULL, 0};
	struct rows rows = {items, 1, 3};

	row(0, "a", 1000, 5);
	CHECK(history_next(&t, &rows) == 0 && !items[0].busy && row_is_idle(&items[0]));
	for (int i = 0; i <= TRACK_POINTS; i++) {
		row(0, "a", 2000 + i * 1000, 6);
		CHECK(history_next(&t, &rows) == 0);
		check_int(items[0].busy, i < TRACK_POINTS);
		check_int(row_is_idle(&items[0]), i == TRACK_POINTS);
	}
	history_free(&t);
}

static void cells(void)
{
	static const struct {
		int64_t n;
		const char *text;
	} table[] = {{0, "0"}, {99999, "99999"}, {100000, "100k"}, {999999, "999k"},
		     {1000000, "1.0M"}, {1290000, "1.2M"}, {12900000, "12M"},
		     {INT64_C(9007199254740991), "9.0P"}};
	char text[CELL_TEXT];

	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		cell_number(table[i].n, text);
		check_text(text, table[i].text);
	}
}

static void limits(void)
{
	struct thresholds t = {.count = 0};
	char text[THRESHOLD_TEXT];
	struct err e;

	CHECK(thresholds_add(&t, "late>=1m30s, dead < 3", &e) == 0);
	check_int((int64_t)t.count, 2);
	CHECK(thresholds_reached(&t, METRIC_LATE, 90000) &&
	      !thresholds_reached(&t, METRIC_LATE, 89999));
	CHECK(thresholds_reached(&t, METRIC_DEAD, 2) && !thresholds_reached(&t, METRIC_DEAD, 3) &&
	      !thresholds_reached(&t, METRIC_DUE, 0));
	threshold_shown(&t.items[0], text);
	check_text(text, ">=1m30s");
	threshold_range(&t.items[0], text);
	check_text(text, "89.999");
	threshold_range(&t.items[1], text);
	check_text(text, "3:");
}

int main(void)
{
	rates();
	busy();
	cells();
	limits();
	return unit_end();
}
