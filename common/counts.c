#include "counts.h"

#include <stdio.h>
#include <string.h>

#include "span.h"

int counts_titles(struct table *t)
{
	static const char *const titles[COUNTS_COLUMNS] = {"QUEUE", "DELAYED", "DUE",  "READY", "LEASED",
							   "DEAD",  "OLDEST",  "LATE", "NEXT",  "PAUSED"};

	for (int i = 0; i < COUNTS_COLUMNS; i++)
		if (table_cell(t, titles[i]) < 0)
			return -1;
	return 0;
}

static int64_t since(int64_t now, int64_t then)
{
	return then < 0 ? -1 : now > then ? now - then : 0;
}

int counts_row(struct table *t, const char *queue, const struct queue_counts *c)
{
	const int64_t numbers[] = {c->delayed, c->due, c->ready, c->leased, c->dead};
	const int64_t spans[] = {since(c->now, c->oldest_ready), since(c->now, c->earliest_due),
				 c->next_due < 0 ? -1 : c->next_due - c->now};
	char cell[SPAN_TEXT];

	if (table_cell(t, queue) < 0)
		return -1;
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		snprintf(cell, sizeof cell, "%lld", (long long)numbers[i]);
		if (table_cell(t, cell) < 0)
			return -1;
	}
	for (size_t i = 0; i < sizeof spans / sizeof *spans; i++) {
		span_age(spans[i], cell);
		if (table_cell(t, cell) < 0)
			return -1;
	}
	return table_cell(t, c->paused ? "paused" : "-");
}

/* add_time adds ,"name":ms where there is one: absent means none. */
static int add_time(struct buf *out, const char *name, int64_t ms)
{
	return ms < 0 ? 0 : buf_format(out, ",\"%s\":%lld", name, (long long)ms);
}

static int add_counters(struct buf *out, const struct queue_counts *c)
{
	const char *name, *value, *comma = "";

	if (buf_text(out, ",\"totals\":{") < 0)
		return -1;
	for (size_t i = 0; i < c->counters; i++) {
		queue_counter(c, i, &name, &value);
		/* Counters are digits and names of our own; whatever else somebody put there is not shown. */
		if (!strcmp(name, "token") || !strcmp(name, "armed") || !strcmp(name, "listed") || !strcmp(name, "generation"))
			continue; /* no counters */
		if (!name_id_valid(name, strlen(name)) || value[0] == 0 || strlen(value) > 15 ||
		    strspn(value, "0123456789") != strlen(value) || (value[0] == '0' && value[1]))
			continue;
		if (buf_format(out, "%s\"%s\":%s", comma, name, value) < 0)
			return -1;
		comma = ",";
	}
	return buf_text(out, "}}");
}

int counts_json(struct buf *out, const char *queue, const struct queue_counts *c)
{
	if (buf_format(out,
		       "{\"queue\":\"%s\",\"now_ms\":%lld,\"messages\":{\"delayed\":%lld,\"due\":%lld,\"ready\":%lld,"
		       "\"leased\":%lld,\"dead\":%lld},\"paused\":%s",
		       queue, (long long)c->now, (long long)c->delayed, (long long)c->due, (long long)c->ready,
		       (long long)c->leased, (long long)c->dead, c->paused ? "true" : "false") < 0)
		return -1;
	if (add_time(out, "oldest_ready_ms", since(c->now, c->oldest_ready)) < 0 ||
	    add_time(out, "late_ms", since(c->now, c->earliest_due)) < 0 || add_time(out, "next_due_ms", c->next_due) < 0)
		return -1;
	return add_counters(out, c);
}
