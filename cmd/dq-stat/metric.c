#include "metric.h"

#include "limited.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[METRIC_NAMED] = {"delayed", "due",    "ready", "leased",   "dead",
						"expired", "oldest", "late", "retrying", "failing",
						"limited", "held"};

enum metric metric_find(const char *name, size_t len)
{
	enum metric m = METRIC_DELAYED;

	while (m < METRIC_NAMED && (strlen(names[m]) != len || memcmp(names[m], name, len) != 0))
		m++;
	return m < METRIC_NAMED ? m : METRIC_COUNT;
}

const char *metric_name(enum metric m)
{
	return names[m];
}

bool metric_is_span(enum metric m)
{
	return m == METRIC_OLDEST || m == METRIC_LATE || m == METRIC_FAILING ||
	       m == METRIC_LIMITED || m == METRIC_FREE || m == METRIC_BLOCKED;
}

int64_t metric_since(int64_t now, int64_t then)
{
	return then < 0 ? -1 : now > then ? now - then : 0;
}

/* first_limited: when the first of the messages was due that any limit holds back; -1: none. */
static int64_t first_limited(const struct queue_counts *c)
{
	int64_t all = limited_first(c), key = c->first_blocked;

	return all < 0 || (key >= 0 && key < all) ? key : all;
}

int64_t metric_value(const struct queue_counts *c, enum metric m)
{
	const int64_t values[METRIC_COUNT] = {c->delayed, c->due, c->ready, c->leased, c->dead,
					      c->expired, metric_since(c->now, c->oldest_ready),
					      metric_since(c->now, c->earliest_due), c->retrying,
					      metric_since(c->now, c->first_failing),
					      metric_since(c->now, first_limited(c)), c->held,
					      metric_since(c->now, c->oldest_free),
					      metric_since(c->now, c->first_blocked)};

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
