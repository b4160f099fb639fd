#include "ticker.h"

#include <stdio.h>

#include "base/duration.h"
#include "base/time.h"

struct sums {
	int64_t now, messages[METRIC_COUNT], late, failing;
	double rate[ROW_COUNTERS]; /* -1: not known yet */
};

static void add(struct sums *s, const struct view *v, const struct row *r)
{
	const struct track *t = history_find(&v->history, r->name);
	int64_t late = metric_value(&r->counts, METRIC_LATE),
		failing = metric_value(&r->counts, METRIC_FAILING);

	s->now = r->counts.now;
	for (enum metric m = METRIC_DELAYED; m <= METRIC_DEAD; m++)
		s->messages[m] += metric_value(&r->counts, m);
	s->messages[METRIC_RETRYING] += metric_value(&r->counts, METRIC_RETRYING);
	if (late > s->late)
		s->late = late;
	if (failing > s->failing)
		s->failing = failing;
	for (enum row_counter c = ROW_PUT; c < ROW_COUNTERS; c++) {
		double rate = track_rate(t, c);
		if (rate >= 0)
			s->rate[c] = (s->rate[c] < 0 ? 0 : s->rate[c]) + rate;
	}
}

static int add_head(struct buf *out)
{
	return buf_format(out, "%-24s %7s %9s %7s %9s %7s %7s %8s %8s %8s %8s %8s %8s %8s %8s\n",
			  "TIME", "QUEUES", "DELAYED", "DUE", "READY", "LEASED", "DEAD", "LATE",
			  "RETRYING", "FAILING", "put/s", "take/s", "ack/s", "retry/s", "dead/s");
}

int ticker_line(struct ticker *t, const struct view *v, struct buf *out)
{
	struct sums s = {.late = -1, .failing = -1};
	char late[DURATION_TEXT], failing[DURATION_TEXT], now[TIME_TEXT] = "-";

	for (enum row_counter c = ROW_PUT; c < ROW_COUNTERS; c++)
		s.rate[c] = -1;
	for (size_t i = 0; i < v->rows.count; i++)
		add(&s, v, &v->rows.items[i]);
	if (t->lines++ == 0 && add_head(out) < 0)
		return -1;
	duration_age(s.late, late);
	duration_age(s.failing, failing);
	if (v->rows.count)
		time_format(s.now, now);
	if (buf_format(out, "%-24s %7zu %9lld %7lld %9lld %7lld %7lld %8s %8lld %8s", now,
		       v->rows.count, (long long)s.messages[METRIC_DELAYED],
		       (long long)s.messages[METRIC_DUE], (long long)s.messages[METRIC_READY],
		       (long long)s.messages[METRIC_LEASED], (long long)s.messages[METRIC_DEAD],
		       late, (long long)s.messages[METRIC_RETRYING], failing) < 0)
		return -1;
	for (enum row_counter c = ROW_PUT; c < ROW_COUNTERS; c++)
		if (s.rate[c] < 0 ? buf_format(out, " %8s", "-") < 0 :
				    buf_format(out, " %8.1f", s.rate[c]) < 0)
			return -1;
	return buf_char(out, '\n');
}
