#include "ended.h"

#include "base/duration.h"
#include "base/text.h"
#include "base/time.h"
#include "message/members.h"

/* add_time adds the time in both forms; -1 = none. */
static int add_time(struct buf *out, const char *key, int64_t ms)
{
	char text[TIME_TEXT];

	if (ms < 0)
		return buf_format(out, "%s\t-\n%s_ms\t-\n", key, key);
	time_format(ms, text);
	return buf_format(out, "%s\t%s\n%s_ms\t%lld\n", key, text, key, (long long)ms);
}

static int add_when(struct buf *out, const struct shown *s)
{
	char text[DURATION_TEXT];

	if (!s->outcome.what)
		return buf_text(out, "when\t-\n");
	duration_age(s->now > s->outcome.at ? s->now - s->outcome.at : 0, text);
	return buf_format(out, "when\t%s ago\n", text);
}

int ended_lines(struct buf *out, const char *queue, const char *id, const struct shown *s)
{
	const struct outcome *o = &s->outcome;

	if (buf_format(out, "name\t%s/%s\nstate\t%s\n", queue, id,
		       o->what ? o->what : "reserved") < 0 ||
	    add_time(out, "ended", o->what ? o->at : -1) < 0 || add_when(out, s) < 0 ||
	    buf_format(out, "tries\t%lld\ngiven_back\t%lld\nresult\t", (long long)o->tries.counted,
		       (long long)o->tries.given_back) < 0 ||
	    (o->len ? text_line(out, o->text, o->len) : buf_char(out, '-')) < 0 ||
	    buf_char(out, '\n') < 0)
		return -1;
	return add_time(out, "reserved_until", s->reserved_until);
}

int ended_line(struct buf *out, const char *queue, const char *id, const struct shown *s,
	       bool terminal)
{
	const struct outcome *o = &s->outcome;
	char when[TIME_TEXT];

	time_format(o->at, when);
	if (buf_format(out, "%s/%s\t%s\t%s\t%lld\t", queue, id, o->what, when,
		       (long long)o->tries.counted) < 0 ||
	    (o->len ? (terminal ? text_line : text_tsv)(out, o->text, o->len) :
		      buf_char(out, '-')) < 0)
		return -1;
	return buf_char(out, '\n');
}

int ended_json(struct buf *out, const char *queue, const char *id, const struct shown *s)
{
	const struct outcome *o = &s->outcome;

	if (buf_format(out, "{\"name\":\"%s/%s\",", queue, id) < 0 ||
	    members_id(out, queue, id) < 0 ||
	    buf_format(out, ",\"state\":\"%s\"", o->what ? o->what : "reserved") < 0 ||
	    text_number(out, "now_ms", s->now) < 0 ||
	    text_number(out, "reserved_until_ms", s->reserved_until) < 0 ||
	    outcome_members(out, o) < 0)
		return -1;
	return buf_text(out, "}\n");
}
