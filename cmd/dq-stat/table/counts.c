#include "counts.h"

#include <stdio.h>
#include <string.h>

#include "base/duration.h"
#include "base/num.h"
#include "base/text.h"
#include "../limited.h"
#include "../metric.h"
#include "queue/shards.h"

int counts_titles(struct table *t)
{
	static const char *const titles[COUNTS_COLUMNS] = {"QUEUE", "DELAYED", "DUE", "READY",
							   "LEASED", "DEAD", "OLDEST", "LATE",
							   "NEXT", "LIMITED", "EXPIRED", "RETRYING",
							   "FAILING", "HELD", "BLOCKED"};

	for (int i = 0; i < COUNTS_COLUMNS; i++)
		if (table_cell(t, titles[i]) < 0)
			return -1;
	return 0;
}

int counts_row(struct table *t, const char *queue, const struct queue_counts *c)
{
	const int64_t numbers[] = {c->delayed, c->due, c->ready, c->leased, c->dead};
	const int64_t spans[] = {metric_value(c, METRIC_OLDEST), metric_value(c, METRIC_LATE),
				 c->next_due < 0 ? -1 : c->next_due - c->now};
	char cell[DURATION_TEXT], limited[DURATION_TEXT];

	limited_cell(c, limited);
	if (table_cell(t, queue) < 0)
		return -1;
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		snprintf(cell, sizeof cell, "%lld", (long long)numbers[i]);
		if (table_cell(t, cell) < 0)
			return -1;
	}
	for (size_t i = 0; i < sizeof spans / sizeof *spans; i++) {
		duration_age(spans[i], cell);
		if (table_cell(t, cell) < 0)
			return -1;
	}
	snprintf(cell, sizeof cell, "%lld", (long long)c->expired);
	if (table_cell(t, limited) < 0 || table_cell(t, cell) < 0)
		return -1;
	snprintf(cell, sizeof cell, "%lld", (long long)c->retrying);
	if (table_cell(t, cell) < 0)
		return -1;
	duration_age(metric_value(c, METRIC_FAILING), cell);
	if (table_cell(t, cell) < 0)
		return -1;
	snprintf(cell, sizeof cell, "%lld", (long long)c->held);
	if (table_cell(t, cell) < 0)
		return -1;
	duration_age(metric_value(c, METRIC_BLOCKED), cell);
	return table_cell(t, cell);
}

#define COUNTER_MAX INT64_C(9007199254740991)

/* The counters that scripts keep in stat: dq-scripts(7), Counters. */
static const char *const names[] = {"put", "promoted", "taken", "acked", "retried", "extended",
				    "given_back", "released", "removed", "redriven", "purged",
				    "dead", "expired_leases", "expired", "rescheduled", NULL};

int64_t counts_counter(const struct queue_counts *c, const char *wanted)
{
	const char *name, *value;
	int64_t n;
	struct err e;

	for (size_t i = 0; i < c->counters; i++) {
		queue_counter(c, i, &name, &value);
		if (!strcmp(name, wanted))
			return num_parse(value, 0, COUNTER_MAX, "counter", &n, &e) == 0 ? n : 0;
	}
	return 0;
}

int counts_shards(const struct queue_counts *c)
{
	int64_t n = counts_counter(c, "shards");

	return n >= 1 && n <= SHARDS_MAX ? (int)n : 1;
}

static int add_counters(struct buf *out, const struct queue_counts *c)
{
	for (size_t i = 0; names[i]; i++)
		if (buf_format(out, "%s\"%s\":%lld", i ? "," : ",\"totals\":{", names[i],
			       (long long)counts_counter(c, names[i])) < 0)
			return -1;
	return buf_char(out, '}');
}

void counts_lateness(const struct queue_counts *c, int64_t late[LATENESS_MAX + 1])
{
	const char *name, *value;
	int64_t k, n;
	struct err e;

	memset(late, 0, (LATENESS_MAX + 1) * sizeof *late);
	for (size_t i = 0; i < c->counters; i++) {
		queue_counter(c, i, &name, &value);
		if (!strncmp(name, "late:", 5) &&
		    num_parse(name + 5, 0, LATENESS_MAX, "late", &k, &e) == 0 &&
		    num_parse(value, 0, COUNTER_MAX, "counter", &n, &e) == 0)
			late[k] = n;
	}
}

static int add_lateness(struct buf *out, const struct queue_counts *c)
{
	const char *comma = "";
	int64_t late[LATENESS_MAX + 1];

	if (buf_text(out, ",\"lateness\":[") < 0)
		return -1;
	counts_lateness(c, late);
	for (int k = 0; k <= LATENESS_MAX; k++) {
		if (late[k] > 0 && buf_format(out, "%s[%lld,%lld]", comma,
					      (long long)(INT64_C(1) << k), (long long)late[k]) < 0)
			return -1;
		comma = late[k] > 0 ? "," : comma;
	}
	return buf_char(out, ']');
}

/* add_blocked: the members for keys that are blocked. */
static int add_blocked(struct buf *out, const struct queue_counts *c)
{
	bool some = c->first_blocked >= 0;

	if (text_number(out, "blocked_ms", metric_value(c, METRIC_BLOCKED)) < 0 ||
	    (some ? buf_format(out, ",\"blocked_key\":\"%s\",\"blocked\":\"%s\"", c->blocked_key,
			       blocked_word(c->blocked)) :
		    buf_text(out, ",\"blocked_key\":null,\"blocked\":null")) < 0)
		return -1;
	return buf_format(out, ",\"paused_ready_keys\":%lld,\"paused_ready\":%lld",
			  (long long)c->paused_keys, (long long)c->paused_messages);
}

int counts_json(struct buf *out, const char *queue, const struct queue_counts *c)
{
	if (buf_format(out,
		       "{\"queue\":\"%s\",\"now_ms\":%lld,\"messages\":{\"delayed\":%lld,"
		       "\"due\":%lld,\"ready\":%lld,\"leased\":%lld,\"dead\":%lld},"
		       "\"expired\":%lld,\"paused\":%s",
		       queue, (long long)c->now, (long long)c->delayed, (long long)c->due,
		       (long long)c->ready, (long long)c->leased, (long long)c->dead,
		       (long long)c->expired, limited_paused(c) ? "true" : "false") < 0 ||
	    limited_json(out, c) < 0 || add_blocked(out, c) < 0)
		return -1;
	if (text_number(out, "oldest_ready_ms", metric_value(c, METRIC_OLDEST)) < 0 ||
	    text_number(out, "late_ms", metric_value(c, METRIC_LATE)) < 0 ||
	    text_number(out, "retrying", c->retrying) < 0 ||
	    text_number(out, "failing_ms", metric_value(c, METRIC_FAILING)) < 0 ||
	    text_number(out, "held", c->held) < 0 ||
	    text_number(out, "next_due_ms", c->next_due) < 0)
		return -1;
	if (add_counters(out, c) < 0 || add_lateness(out, c) < 0)
		return -1;
	return buf_format(out, ",\"shards\":%d,\"paused_shards\":%d}", counts_shards(c),
			  c->paused_shards);
}
