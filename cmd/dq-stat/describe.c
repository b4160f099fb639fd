#include "describe.h"

#include <string.h>

#include "base/duration.h"
#include "base/holder.h"
#include "base/text.h"
#include "base/time.h"
#include "message/header.h"
#include "message/members.h"

/* add_backoff writes the schedule in the form that dq-put reads. */
static int add_backoff(struct buf *out, const struct header *h)
{
	const char *between = header_is_exp(h) ? ".." : ",",
		   *before = header_is_exp(h) ? "exp:" : "";
	char text[DURATION_TEXT];
	size_t at = 0;
	int64_t ms;

	while (header_interval(h, &at, &ms)) {
		duration_exact(ms, text);
		if (buf_format(out, "%s%s", before, text) < 0)
			return -1;
		before = between;
	}
	return 0;
}

/* shown_time: a held message is due at the last time of all. */
static void shown_time(int64_t ms, char text[TIME_TEXT])
{
	if (ms == TIME_MAX)
		strcpy(text, "never");
	else
		time_format(ms, text);
}

/* add_time adds KEY, TAB, the time, LF. */
static int add_time(struct buf *out, const char *key, int64_t ms)
{
	char text[TIME_TEXT] = "-";

	if (ms >= 0)
		shown_time(ms, text);
	return buf_format(out, "%s\t%s\n", key, text);
}

static int add_reason(struct buf *out, const char *reason, size_t len)
{
	return len ? text_line(out, reason, len) : buf_char(out, '-');
}

/* add_holder: a foreign client may have written any bytes. */
static int add_holder(struct buf *out, const char *holder, size_t len)
{
	return len ? text_line(out, holder, len) : buf_char(out, '-');
}

static int add_holder_member(struct buf *out, const char *holder, size_t len)
{
	char shown[4 * HOLDER_MAX + 8];

	if (!len)
		return buf_text(out, ",\"holder\":null");
	text_shown(shown, sizeof shown, holder, len);
	return buf_text(out, ",\"holder\":") < 0 ? -1 : text_json(out, shown, strlen(shown));
}

static bool is_leased(const char *state)
{
	return !strcmp(state, "leased");
}

static bool is_dead(const char *state)
{
	return !strcmp(state, "dead");
}

/* add_both adds the time, and then the same in ms. */
static int add_both(struct buf *out, const char *key, int64_t ms)
{
	if (add_time(out, key, ms) < 0)
		return -1;
	return ms < 0 ? buf_format(out, "%s_ms\t-\n", key) :
			buf_format(out, "%s_ms\t%lld\n", key, (long long)ms);
}

/* add_place says where the message is, and since or until when. */
static int add_place(struct buf *out, const struct shown *s)
{
	bool was = is_leased(s->state) || is_dead(s->state);
	const char *key = is_leased(s->state) ? "lease_until" : is_dead(s->state) ? "died" : "due";
	char text[DURATION_TEXT];

	if (buf_format(out, "state\t%s\n", s->state[0] ? s->state : "-") < 0 ||
	    (was && add_both(out, "due", s->delivery_due) < 0) || add_both(out, key, s->at) < 0)
		return -1;
	if (s->at < 0)
		return buf_text(out, "when\t-\n");
	if (s->at == TIME_MAX)
		return buf_text(out, "when\tnever\n");
	duration_age(s->at > s->now ? s->at - s->now : s->now - s->at, text);
	return buf_format(out, "when\t%s%s%s\n", s->at > s->now ? "in " : "", text,
			  s->at > s->now ? "" : " ago");
}

/* add_trace: a later version of the standard allows any bytes in it,
 * so it is escaped like foreign bytes. */
static int add_trace(struct buf *out, const struct trace *t)
{
	if (buf_text(out, "traceparent\t") < 0 ||
	    (t->parent ? text_line(out, t->parent, t->parent_len) : buf_char(out, '-')) < 0 ||
	    buf_text(out, "\ntracestate\t") < 0)
		return -1;
	if ((t->state[0] ? text_line(out, t->state, strlen(t->state)) : buf_char(out, '-')) < 0)
		return -1;
	return buf_char(out, '\n');
}

int describe_shown(struct buf *out, const char *queue, const char *id, const struct shown *s)
{
	struct header h;
	struct trace trace;
	char text[DURATION_TEXT];

	header_read(&h, s->header, s->header_len);
	header_trace(&trace, s->header, s->header_len);
	if (buf_format(out, "name\t%s/%s\n", queue, id) < 0 || add_place(out, s) < 0 ||
	    add_time(out, "again", s->again) < 0 || add_time(out, "first_due", s->first_due) < 0 ||
	    buf_text(out, "holder\t") < 0 || add_holder(out, s->holder, s->holder_len) < 0 ||
	    buf_format(out, "\ntries\t%lld of %lld\nfailures\t%lld\ngiven_back\t%lld\nreason\t",
		       (long long)s->tries.counted, (long long)h.tries, (long long)s->failures,
		       (long long)s->tries.given_back) < 0 ||
	    add_reason(out, s->reason, s->reason_len) < 0)
		return -1;
	duration_exact(h.ttr, text);
	if (buf_format(out, "\nttr\t%s\npriority\t%lld\nbackoff\t", text,
		       (long long)s->priority) < 0 ||
	    add_backoff(out, &h) < 0 || buf_char(out, '\n') < 0 ||
	    add_time(out, "expires", h.expires) < 0)
		return -1;
	duration_exact(h.unique, text);
	if (buf_format(out, "unique\t%s\nkeep\t%s\n", h.unique > 0 ? text : "-",
		       h.keep ? text : "-") < 0 ||
	    add_trace(out, &trace) < 0)
		return -1;
	return buf_format(out, "size\t%lld\n", (long long)s->bytes);
}

/* add_name begins both objects. The name has no characters that JSON escapes. */
static int add_name(struct buf *out, const char *queue, const char *id)
{
	return buf_format(out, "{\"name\":\"%s/%s\",", queue, id);
}

int describe_listed(struct buf *out, const char *queue, const char *state, const struct listed *m,
		    bool terminal)
{
	const struct shown *s = m->shown;
	size_t len = m->reason_len, from = text_last_line(m->reason, &len);
	char when[TIME_TEXT];

	shown_time(m->at, when);
	if (buf_format(out, "%s/%s\t%s\t%s\t%lld\t", queue, m->id, state, when,
		       (long long)m->tries.counted) < 0 ||
	    add_reason(out, m->reason + from, len) < 0 || buf_char(out, '\t') < 0 ||
	    add_holder(out, m->holder, m->holder_len) < 0)
		return -1;
	if (s && (buf_char(out, '\t') < 0 ||
		  (terminal ? text_line : text_tsv)(out, s->payload, s->payload_len) < 0))
		return -1;
	return buf_char(out, '\n');
}

/* add_rest adds what only the record has. */
static int add_rest(struct buf *out, const struct shown *s)
{
	if (text_number(out, "now_ms", s->now) < 0 || members_options(out, s) < 0)
		return -1;
	return text_number(out, "size", s->bytes);
}

int describe_shown_json(struct buf *out, const char *queue, const char *id, const struct shown *s)
{
	if (add_name(out, queue, id) < 0 || members_shown(out, queue, id, s) < 0 ||
	    add_holder_member(out, s->holder, s->holder_len) < 0 || add_rest(out, s) < 0)
		return -1;
	return buf_text(out, "}\n");
}

int describe_listed_json(struct buf *out, const char *queue, const char *state,
			 const struct listed *m)
{
	const struct shown *s = m->shown;

	if (add_name(out, queue, m->id) < 0 || members_listed(out, queue, state, m) < 0 ||
	    add_holder_member(out, m->holder, m->holder_len) < 0)
		return -1;
	if (s && (add_rest(out, s) < 0 || buf_char(out, ',') < 0 ||
		  text_members(out, "payload", s->payload, s->payload_len) < 0))
		return -1;
	if (!s && !strcmp(state, "expired") && text_number(out, "expires_ms", m->at) < 0)
		return -1;
	return buf_text(out, "}\n");
}
