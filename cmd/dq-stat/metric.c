#include "metric.h"

#include "limited.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[METRIC_COUNT] = {"delayed", "due",    "ready", "leased",   "dead",
						"expired", "oldest", "late", "retrying", "failing",
						"limited", "held"};

enum metric metric_find(const char *name, size_t len)
{
	enum metric m = METRIC_DELAYED;

	while (m < METRIC_COUNT && (strlen(names[m]) != len || memcmp(names[m], name, len) != 0))
		m++;
	return m;
}

const char *metric_name(enum metric m)
{
	return names[m];
}

bool metric_is_span(enum metric m)
{
	return m == METRIC_OLDEST || m == METRIC_LATE || m == METRIC_FAILING || m == METRIC_LIMITED;
}

/* since: a time that the server's clock has not reached yet counts as now. */
static int64_t since(int64_t now, int64_t then)
{
	return then < 0 ? -1 : now > then ? now - then : 0;
}

/* first_limited: when the first of the messages was due that a limit holds back; -1: none. */
static int64_t first_limited(const struct queue_counts *c)
{
	int64_t due = limited_at_work(c) ? c->earliest_due : -1;

	if (limited_by(c) == LIMIT_NONE)
		return -1;
	return due >= 0 && (c->oldest_ready < 0 || due < c->oldest_ready) ? due : c->oldest_ready;
}

int64_t metric_value(const struct queue_counts *c, enum metric m)
{
	const int64_t values[METRIC_COUNT] = {c->delayed, c->due, c->ready, c->leased, c->dead,
					      c->expired, since(c->now, c->oldest_ready),
					      since(c->now, c->earliest_due), c->retrying,
					      since(c->now, c->first_failing),
					      since(c->now, first_limited(c)), c->held};

	return values[m];
}

void metric_seconds(int64_t ms, char out[METRIC_TEXT])
{
	const char *sign = ms < 0 ? "-" : "";
	long long all = llabs((long long)ms);

	if (all % 1000)
		snprintf(out, METRIC_TEXT, "%s%lld.%03lld", sign, all / 1000, all % 1000);
	else
		snprintf(out, METRIC_TEXT, "%s%lld", sign, all / 1000);
}
