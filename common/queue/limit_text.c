#include "queue/limit_text.h"

#include <stdio.h>
#include <string.h>

#include "base/duration.h"
#include "base/text.h"
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
	if (c->keys >= KEYS_SERIAL)
		add(out, "keys", keys_word(c->keys));
	add_number(out, "key-limit", c->key_limit);
}

static int rate_member(struct buf *out, const struct queue_counts *c)
{
	if (c->rate < 0)
		return buf_text(out, ",\"rate\":null");
	return buf_format(out, ",\"rate\":{\"count\":%lld,\"ms\":%lld}", (long long)c->rate,
			  (long long)c->rate_ms);
}

static int keys_member(struct buf *out, enum queue_keys keys)
{
	const char *word = keys_word(keys);

	return word ? buf_format(out, ",\"keys\":\"%s\"", word) : buf_text(out, ",\"keys\":null");
}

int limit_members(struct buf *out, const struct queue_counts *c)
{
	if (text_number(out, "max_leased", c->max_leased) < 0 || rate_member(out, c) < 0)
		return -1;
	if (text_number(out, "max_len", c->max_len) < 0 || keys_member(out, c->keys) < 0)
		return -1;
	return text_number(out, "key_limit", c->key_limit);
}
