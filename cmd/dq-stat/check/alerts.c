#include "alerts.h"

#include <stdio.h>

#include "base/duration.h"
#include "../limited.h"

static const char *remedy(enum metric m)
{
	static const char *const remedies[METRIC_COUNT] = {
		[METRIC_DUE] = "run dq-promote, dq-take or dq-run",
		[METRIC_LATE] = "run dq-promote, dq-take or dq-run",
		[METRIC_READY] = "run more consumers, or faster ones",
		[METRIC_OLDEST] = "run more consumers, or faster ones",
		[METRIC_RETRYING] =
			"dq-stat --messages leased,ready,due,delayed QUEUE shows the reasons",
		[METRIC_FAILING] =
			"dq-stat --messages leased,ready,due,delayed QUEUE shows the reasons",
		[METRIC_LIMITED] = "more is put than dq-set QUEUE lets through",
		[METRIC_DEAD] = ("dq-stat --messages dead QUEUE lists them, dq-promote --dead "
				 "QUEUE redrives them"),
	};

	return remedies[m];
}

/* is_explained: is this number as it is because of a limit of the queue? A pause keeps no tool from
 * promoting what is due. */
static bool is_explained(const struct queue_counts *c, enum metric m)
{
	switch (m) {
	case METRIC_READY:
	case METRIC_OLDEST:
		return limited_by(c) != LIMIT_NONE;
	case METRIC_DUE:
	case METRIC_LATE:
		return limited_at_work(c);
	default:
		return false;
	}
}

/* limited_remedy: what holds messages back for too long is a limit that is too low, a pause that is
 * too long, or a key that does not go on. */
static const char *limited_remedy(enum limit_why why)
{
	if (why == LIMIT_KEYS)
		return "dq-stat --keys QUEUE shows the keys that are blocked, and why";
	return why == LIMIT_PAUSED ? "dq-set QUEUE paused=no ends the pause now" :
				     remedy(METRIC_LIMITED);
}

/* add_limited reports how many messages a limit holds back.
 * t: the threshold that was reached, or NULL. */
static int add_limited(struct alerts *a, const char *queue, enum report_level level,
		       const struct threshold *t, const struct queue_counts *c)
{
	char why[LIMITED_TEXT], span[DURATION_TEXT], limit[THRESHOLD_TEXT],
		since[DURATION_TEXT + THRESHOLD_TEXT + 16] = "";
	char backlog[DURATION_TEXT + 16] = "";
	int64_t ms = limited_backlog(c);

	limited_reason(c, limited_by(c), why);
	if (limited_by(c) == LIMIT_RATE && ms >= 0) {
		duration_age(ms, span);
		snprintf(backlog, sizeof backlog, ": %s at this rate", span);
	}
	if (t) {
		duration_age(metric_value(c, METRIC_LIMITED), span);
		threshold_shown(t, limit);
		snprintf(since, sizeof since, " for %s (%s)", span, limit);
	}
	return report_add(a->report, level, "limited", t ? limited_remedy(limited_by(c)) : NULL,
			  "%s: limited, %lld behind%s (%s%s)", queue, (long long)limited_behind(c),
			  since, why, backlog);
}

static int add(struct alerts *a, const char *queue, enum report_level level,
	       const struct threshold *t, int64_t value)
{
	const char *name = metric_name(t->metric);
	char limit[THRESHOLD_TEXT], span[DURATION_TEXT];

	threshold_shown(t, limit);
	if (!metric_is_span(t->metric))
		return report_add(a->report, level, name, remedy(t->metric), "%s: %lld %s (%s)",
				  queue, (long long)value, name, limit);
	duration_age(value < 0 ? 0 : value, span);
	return report_add(a->report, level, name, remedy(t->metric), "%s: %s %s (%s)", queue, name,
			  span, limit);
}

static int add_perf(struct alerts *a, const char *queue, const struct queue_counts *c)
{
	char value[METRIC_TEXT], warn[THRESHOLD_TEXT], crit[THRESHOLD_TEXT];

	for (enum metric m = METRIC_DELAYED; m < METRIC_COUNT; m++) {
		const struct threshold *w = thresholds_of(a->warn, m),
				       *k = thresholds_of(a->crit, m);
		int64_t n = metric_value(c, m);
		if (!w && !k)
			continue;
		warn[0] = crit[0] = 0;
		if (w)
			threshold_range(w, warn);
		if (k)
			threshold_range(k, crit);
		if (metric_is_span(m))
			metric_seconds(n < 0 ? 0 : n, value);
		else
			snprintf(value, sizeof value, "%lld", (long long)n);
		if (buf_format(&a->perf, "%s'%s_%s'=%s%s;%s;%s", a->perf.len ? " " : "", queue,
			       metric_name(m), value, metric_is_span(m) ? "s" : "", warn, crit) < 0)
			return -1;
	}
	return 0;
}

int alerts_judge(struct alerts *a, const char *queue, const struct queue_counts *c)
{
	bool trouble = false,
	     limited = limited_by(c) != LIMIT_NONE && metric_value(c, METRIC_LIMITED) >= 0;

	a->queues++;
	for (enum metric m = METRIC_DELAYED; m < METRIC_COUNT; m++) {
		int64_t n = metric_value(c, m);
		const struct threshold *k = thresholds_reached(a->crit, m, n);
		const struct threshold *t = k ? k : thresholds_reached(a->warn, m, n);
		enum report_level level = k ? REPORT_CRITICAL : t ? REPORT_WARNING : REPORT_OK;
		if (is_explained(c, m))
			continue;
		if (m == METRIC_LIMITED && limited ? add_limited(a, queue, level, t, c) < 0 :
						     t && add(a, queue, level, t, n) < 0)
			return -1;
		trouble = trouble || t;
	}
	if (!a->all && (!trouble || a->shown >= ALERTS_PERF_MAX))
		return 0;
	a->shown++;
	return add_perf(a, queue, c);
}
