#include "limited.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/time.h"
#include "queue/limit_text.h"

bool limited_paused(const struct queue_counts *c)
{
	return c->paused && c->open_shards == 0;
}

#define BACKLOG_MAX (INT64_C(1) << 53)

/* is_used: consumers that keep a limit used up leave a place free for a moment, again and again. */
static bool is_used(int64_t used, int64_t limit)
{
	return limit >= 0 && used >= limit - limit / 10;
}

enum limit_why limited_by(const struct queue_counts *c)
{
	if (c->paused)
		return limited_paused(c) && c->pause_until >= 0 ? LIMIT_PAUSED : LIMIT_NONE;
	if (c->why != LIMIT_NONE)
		return c->why;
	return is_used(c->leased, c->max_leased) ? LIMIT_LEASED :
	       is_used(c->begun, c->rate)        ? LIMIT_RATE :
						   LIMIT_NONE;
}

bool limited_at_work(const struct queue_counts *c)
{
	enum limit_why why = limited_by(c);

	return why == LIMIT_RATE || why == LIMIT_LEASED;
}

int64_t limited_first(const struct queue_counts *c)
{
	int64_t due = limited_at_work(c) ? c->earliest_due : -1;
	enum limit_why why = limited_by(c);

	if (why == LIMIT_NONE || why == LIMIT_KEYS)
		return -1;
	return due >= 0 && (c->oldest_free < 0 || due < c->oldest_free) ? due : c->oldest_free;
}

bool limited_holds(const struct queue_counts *c)
{
	return limited_at_work(c) || limited_by(c) == LIMIT_KEYS || c->first_blocked >= 0;
}

int64_t limited_behind(const struct queue_counts *c)
{
	return c->ready + c->due;
}

int64_t limited_backlog(const struct queue_counts *c)
{
	double ms = c->rate < 1 ? -1 :
				  (double)limited_behind(c) * (double)c->rate_ms / (double)c->rate;

	return ms > BACKLOG_MAX ? BACKLOG_MAX : (int64_t)ms;
}

const char *limited_word(enum limit_why why)
{
	static const char *const words[] = {
		[LIMIT_NONE] = NULL, [LIMIT_PAUSED] = "paused",
		[LIMIT_RATE] = "rate", [LIMIT_LEASED] = "leased", [LIMIT_KEYS] = "keys"};

	return (size_t)why < sizeof words / sizeof *words ? words[why] : NULL;
}

void limited_cell(const struct queue_counts *c, char out[DURATION_TEXT])
{
	const char *word = limited_word(c->why);
	char span[DURATION_TEXT];

	if (limited_paused(c) && c->pause_until >= 0) {
		duration_age(c->pause_until > c->now ? c->pause_until - c->now : 0, span);
		word = span;
	} else if (c->paused) {
		word = c->open_shards ? "partly" : "paused";
	}
	snprintf(out, DURATION_TEXT, "%s", word ? word : "-");
}

void limited_reason(const struct queue_counts *c, enum limit_why why, char out[LIMITED_TEXT])
{
	char text[LIMIT_TEXT];

	if (why == LIMIT_LEASED) {
		snprintf(out, LIMITED_TEXT, "max-leased=%lld", (long long)c->max_leased);
	} else if (why == LIMIT_RATE) {
		limit_rate(c->rate, c->rate_ms, text);
		snprintf(out, LIMITED_TEXT, "rate=%.80s", text);
	} else {
		time_format(c->pause_until, text);
		snprintf(out, LIMITED_TEXT, "paused until %s", text);
	}
}

void limited_uses(const struct queue_counts *c, char out[LIMITED_TEXT])
{
	char rate[LIMIT_TEXT];
	int64_t all = c->delayed + c->due + c->ready + c->leased + c->dead;
	const char *comma = "";
	int len = 0;

	out[0] = 0;
	if (c->rate >= 0) {
		limit_rate(c->rate, c->rate_ms, rate);
		len += snprintf(out, LIMITED_TEXT, "rate %lld of %.80s",
				(long long)(c->begun < 0 ? 0 : c->begun), rate);
		comma = ", ";
	}
	if (c->max_leased >= 0) {
		len += snprintf(out + len, LIMITED_TEXT - (size_t)len, "%sleased %lld of %lld",
				comma, (long long)c->leased, (long long)c->max_leased);
		comma = ", ";
	}
	if (c->max_len >= 0)
		snprintf(out + len, LIMITED_TEXT - (size_t)len, "%smessages %lld of %lld", comma,
			 (long long)all, (long long)c->max_len);
}

int limited_json(struct buf *out, const struct queue_counts *c)
{
	const char *word = limited_word(c->why);

	if (text_number(out, "paused_until_ms", limited_paused(c) ? c->pause_until : -1) < 0 ||
	    limit_members(out, c) < 0 || text_number(out, "begun", c->rate < 0 ? -1 : c->begun) < 0)
		return -1;
	if ((word ? buf_format(out, ",\"limited\":\"%s\"", word) :
		    buf_text(out, ",\"limited\":null")) < 0)
		return -1;
	if (text_number(out, "limited_until_ms", c->until) < 0)
		return -1;
	return text_number(out, "backlog_ms", limited_backlog(c));
}
