#include "queue/limit_text.h"

#include <stdio.h>
#include <string.h>

#include "base/duration.h"
#include "base/time.h"

void limit_rate(int64_t count, int64_t ms, char out[LIMIT_TEXT])
{
	char span[DURATION_TEXT];

	duration_exact(ms > 0 ? ms : 0, span);
	snprintf(out, LIMIT_TEXT, "%lld/%s", (long long)count, span);
}

/* add adds NAME=VALUE. */
static void add(char out[LIMIT_TEXT], const char *name, const char *value)
{
	size_t len = strlen(out);

	snprintf(out + len, LIMIT_TEXT - len, "%s%s=%s", len ? " " : "", name, value);
}

static void add_number(char out[LIMIT_TEXT], const char *name, int64_t n)
{
	char value[24];

	snprintf(value, sizeof value, "%lld", (long long)n);
	if (n >= 0)
		add(out, name, value);
}

void limit_settings(const struct queue_counts *c, int shards, char out[LIMIT_TEXT])
{
	char until[TIME_TEXT] = "yes", rate[LIMIT_TEXT];

	out[0] = 0;
	if (c->pause_until >= 0)
		time_format(c->pause_until, until);
	if (c->paused)
		add(out, "paused", until);
	if (shards > 1)
		add_number(out, "shards", shards);
	add_number(out, "max-leased", c->max_leased);
	limit_rate(c->rate, c->rate_ms, rate);
	if (c->rate >= 0)
		add(out, "rate", rate);
	add_number(out, "max-len", c->max_len);
}
