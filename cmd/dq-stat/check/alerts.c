#include "alerts.h"

#include <stdio.h>

#include "base/duration.h"
#include "../limited.h"

static const char *remedy(enum metric m)
{
	static const char *const remedies[METRIC_NAMED] = {
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

/* add_limited reports how many messages a limit holds back.
 * t: the threshold that was reached, or NULL. */
static int add_limited(struct alerts *a, const char *queue, enum report_level level,
		       const struct threshold *t, const struct queue_counts *c)
{
	char why[LIMITED_TEXT], span[DURATION_TEXT], limit[THRESHOLD_TEXT],
		since[DURATION_TEXT + THRESHOLD_TEXT + 16] = "";
	char backlog[DURATION_TEXT + 16] = "";
	const char *help = limited_by(c) == LIMIT_PAUSED ?
				   "dq-set QUEUE paused=no ends the pause now" :
				   remedy(METRIC_LIMITED);
	int64_t ms = limited_backlog(c);

	limited_reason(c, limited_by(c), why);
	if (limited_by(c) == LIMIT_RATE && ms >= 0) {
		duration_age(ms, span);
		snprintf(backlog, sizeof backlog, ": %s at this rate", span);
	}
	if (t) {
		duration_age(metric_since(c->now, limited_first(c)), span);
		threshold_shown(t, limit);
		snprintf(since, sizeof since, " for %s (%s)", span, limit);
	}
	return report_add(a->report, level, "limited", t ? help : NULL,
			  "%s: limited, %lld behind%s (%s%s)", queue, (long long)limited_behind(c),
			  since, why, backlog);
}

/* What blocks a key, and what lets it go on. */
static const struct {
	const char *why, *remedy;
} blocked[] = {
	[BLOCKED_LIMIT] = {"as many of its messages are leased as may be",
			   "dq-stat -k KEY QUEUE lists them; dq-promote --release ends the "
			   "lease of a consumer that is gone"},
	[BLOCKED_DEAD] = {"a dead message stops it",
			  "dq-stat -k KEY QUEUE shows it; dq-promote --dead redrives it, or "
			  "dq-rm removes it"},
	[BLOCKED_PAUSED] = {"it is paused", "dq-set QUEUE paused:KEY=no resumes it"},
	[BLOCKED_RETRY] = {"its first message waits for its next try",
			   "dq-stat -k KEY QUEUE shows it, and why the last try ended"},
	[BLOCKED_UNKNOWN] = {"takes or promotes have not looked at it since keys was set",
			     "dq-promote QUEUE does"},
};

/* add_blocked reports the key whose messages have been blocked for longest, and, if it is paused,
 * how many others are. t: the threshold that was reached, or NULL. */
static int add_blocked(struct alerts *a, const char *queue, enum report_level level,
		       const struct threshold *t, const struct queue_counts *c)
{
	char span[DURATION_TEXT], limit[THRESHOLD_TEXT] = "", paused[96] = "";
	int status;

	duration_age(metric_value(c, METRIC_BLOCKED), span);
	if (t)
		threshold_shown(t, limit);
	if (c->paused_keys > (c->blocked == BLOCKED_PAUSED))
		snprintf(paused, sizeof paused, "; %lld ready of %lld paused key%s",
			 (long long)c->paused_messages, (long long)c->paused_keys,
			 c->paused_keys == 1 ? "" : "s");
	a->report->key = c->blocked_key;
	status = report_add(a->report, level, "limited", t ? blocked[c->blocked].remedy : NULL,
			    "%s: limited, key %s for %s%s%s%s: %s%s", queue, c->blocked_key, span,
			    t ? " (" : "", limit, t ? ")" : "", blocked[c->blocked].why, paused);
	a->report->key = NULL;
	return status;
}

static int add(struct alerts *a, const char *queue, const struct queue_counts *c,
	       enum report_level level, const struct threshold *t, int64_t value)
{
	const char *name = metric_name(t->metric), *help = remedy(t->metric);
	char limit[THRESHOLD_TEXT], span[DURATION_TEXT];

	if (t->metric == METRIC_READY && c->first_blocked >= 0)
		help = "dq-stat --keys QUEUE shows which of them wait for their keys; run more "
		       "consumers for the others";
	threshold_shown(t, limit);
	if (!metric_is_span(t->metric))
		return report_add(a->report, level, name, help, "%s: %lld %s (%s)", queue,
				  (long long)value, name, limit);
	duration_age(value < 0 ? 0 : value, span);
	return report_add(a->report, level, name, help, "%s: %s %s (%s)", queue, name, span,
			  limit);
}

/* value_of: what is compared. Of the ready messages that keys hold back, OLDEST says nothing: see
 * judge_limited. */
static int64_t value_of(const struct queue_counts *c, enum metric m)
{
	return metric_value(c, m == METRIC_OLDEST ? METRIC_FREE : m);
}

/* bound: of several thresholds of a metric that which was reached. */
static const struct threshold *bound(const struct thresholds *t, enum metric m, int64_t value)
{
	const struct threshold *reached = thresholds_reached(t, m, value);

	return reached ? reached : thresholds_of(t, m);
}

static int add_perf(struct alerts *a, const char *queue, const struct queue_counts *c)
{
	char value[METRIC_TEXT], warn[THRESHOLD_TEXT], crit[THRESHOLD_TEXT];

	for (enum metric m = METRIC_DELAYED; m < METRIC_NAMED; m++) {
		int64_t n = value_of(c, m);
		const struct threshold *w = bound(a->warn, m, n), *k = bound(a->crit, m, n);
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

/* judged: the threshold that a value has reached, or NULL, and its level. */
static const struct threshold *judged(const struct alerts *a, enum metric m, int64_t n,
				      enum report_level *level)
{
	const struct threshold *k = thresholds_reached(a->crit, m, n);
	const struct threshold *t = k ? k : thresholds_reached(a->warn, m, n);

	*level = k ? REPORT_CRITICAL : t ? REPORT_WARNING : REPORT_OK;
	return t;
}

/* judge_limited: what all messages wait for, and the keys that are blocked, are findings without a
 * threshold, too. */
static int judge_limited(struct alerts *a, const char *queue, const struct queue_counts *c)
{
	int64_t first = limited_first(c);
	enum report_level level;
	const struct threshold *t = judged(a, METRIC_LIMITED, metric_since(c->now, first), &level);

	if (first >= 0 && add_limited(a, queue, level, t, c) < 0)
		return -1;
	t = judged(a, METRIC_LIMITED, metric_value(c, METRIC_BLOCKED), &level);
	return c->first_blocked >= 0 ? add_blocked(a, queue, level, t, c) : 0;
}

int alerts_judge(struct alerts *a, const char *queue, const struct queue_counts *c)
{
	bool trouble = false;

	a->queues++;
	for (enum metric m = METRIC_DELAYED; m < METRIC_NAMED; m++) {
		int64_t n = value_of(c, m);
		enum report_level level;
		const struct threshold *t = judged(a, m, n, &level);
		int status = 0;
		if (is_explained(c, m))
			continue;
		if (m == METRIC_LIMITED && n >= 0)
			status = judge_limited(a, queue, c);
		else if (t)
			status = add(a, queue, c, level, t, n);
		if (status < 0)
			return -1;
		trouble = trouble || t;
	}
	if (!a->all && (!trouble || a->shown >= ALERTS_PERF_MAX))
		return 0;
	a->shown++;
	return add_perf(a, queue, c);
}
