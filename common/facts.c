#include "facts.h"

#include <string.h>

#include "num.h"
#include "span.h"
#include "text.h"
#include "when.h"

/* The options in a header (lua/lib/record.lua), with the defaults where it has none. */
struct options {
	int64_t ttr, tries, expires, unique; /* ms; 0 = none */
	const char *backoff;
	size_t backoff_len;
};

/* header_field returns the text of a field, up to the next space, or NULL. */
static const char *header_field(const char *header, char letter, size_t *len)
{
	while (*header) {
		*len = strcspn(header, " ");
		if (*len > 2 && header[0] == letter && header[1] == '=') {
			*len -= 2;
			return header + 2;
		}
		header += *len + (header[*len] != 0);
	}
	return NULL;
}

/* read_digits reads a whole number below 2^53, as JSON readers hold them. */
static bool read_digits(const char *s, size_t len, int64_t *out)
{
	char text[24];
	struct err e;

	if (len >= sizeof text)
		return false;
	memcpy(text, s, len);
	text[len] = 0;
	return num_parse(text, 0, INT64_C(9007199254740991), "number", out, &e) == 0;
}

static int64_t header_number(const char *header, char letter, int64_t none)
{
	size_t len;
	int64_t n;
	const char *text = header_field(header, letter, &len);

	return text && read_digits(text, len, &n) ? n : none;
}

static void read_options(const char *header, struct options *o)
{
	o->ttr = header_number(header, 't', QUEUE_TTR_MS);
	o->tries = header_number(header, 'r', QUEUE_TRIES);
	o->expires = header_number(header, 'x', 0);
	o->unique = header_number(header, 'u', 0);
	o->backoff = header_field(header, 'b', &o->backoff_len);
	if (!o->backoff) {
		o->backoff = QUEUE_BACKOFF;
		o->backoff_len = strlen(o->backoff);
	}
}

/* each_interval reads a retry schedule, MS,MS... or exp:MIN..MAX, and writes its numbers by add. Returns 0, 1 when it is
 * neither (*out may then end in a part of it), or -1. */
static int each_interval(struct buf *out, const char *s, size_t len, int (*add)(struct buf *out, int64_t ms, const char *before),
			 const char *exp, const char *between)
{
	bool is_exp = len > 4 && !memcmp(s, "exp:", 4);
	const char *end = s + len, *before = is_exp ? exp : "";
	int64_t ms;
	int n = 0;

	for (s += is_exp ? 4 : 0; s <= end; before = is_exp ? between : ",") {
		const char *to = s;
		while (to < end && *to >= '0' && *to <= '9')
			to++;
		if (!read_digits(s, (size_t)(to - s), &ms))
			return 1;
		if (add(out, ms, before) < 0)
			return -1;
		n++;
		if (to == end)
			return is_exp && n != 2 ? 1 : 0;
		s = to + (is_exp ? 2 : 1);
		if (s > end || memcmp(to, is_exp ? ".." : ",", (size_t)(s - to)))
			return 1;
	}
	return 1;
}

static int add_span(struct buf *out, int64_t ms, const char *before)
{
	char text[SPAN_TEXT];

	span_exact(ms, text);
	return buf_format(out, "%s%s", before, text);
}

static int add_ms(struct buf *out, int64_t ms, const char *before)
{
	return buf_format(out, "%s%lld", before, (long long)ms);
}

/* add_backoff writes the schedule as dq-put reads it, or as it is where that cannot be. */
static int add_backoff(struct buf *out, const struct options *o)
{
	size_t before = out->len;
	int status = each_interval(out, o->backoff, o->backoff_len, add_span, "exp:", "..");

	if (status <= 0)
		return status;
	out->len = before;
	return text_line(out, o->backoff, o->backoff_len);
}

static int add_backoff_json(struct buf *out, const struct options *o)
{
	size_t before = out->len;
	bool is_exp = o->backoff_len > 4 && !memcmp(o->backoff, "exp:", 4);
	int status;

	if (buf_text(out, is_exp ? "\"backoff_exp_ms\":[" : "\"backoff_ms\":[") < 0)
		return -1;
	status = each_interval(out, o->backoff, o->backoff_len, add_ms, "", ",");
	if (status <= 0)
		return status < 0 ? -1 : buf_char(out, ']');
	out->len = before;
	return text_member(out, "backoff", o->backoff, o->backoff_len);
}

/* add_time adds KEY, TAB, the time, LF. */
static int add_time(struct buf *out, const char *key, int64_t ms)
{
	char text[WHEN_TEXT] = "-";

	if (ms >= 0)
		when_format(ms, text);
	return buf_format(out, "%s\t%s\n", key, text);
}

static int add_reason(struct buf *out, const char *reason, size_t len)
{
	return len ? text_line(out, reason, len) : buf_char(out, '-');
}

/* add_place says where the message is and since or until when. */
static int add_place(struct buf *out, const struct shown *s)
{
	const char *key = !strcmp(s->state, "leased") ? "lease_until" : !strcmp(s->state, "dead") ? "died" : "due";
	char text[SPAN_TEXT];

	if (buf_format(out, "state\t%s\n", s->state[0] ? s->state : "-") < 0 || add_time(out, key, s->at) < 0)
		return -1;
	if (s->at < 0)
		return buf_format(out, "%s_ms\t-\nwhen\t-\n", key);
	span_age(s->at > s->now ? s->at - s->now : s->now - s->at, text);
	return buf_format(out, "%s_ms\t%lld\nwhen\t%s%s%s\n", key, (long long)s->at, s->at > s->now ? "in " : "", text,
			  s->at > s->now ? "" : " ago");
}

int facts_shown(struct buf *out, const char *queue, const char *id, const struct shown *s)
{
	struct options o;
	char text[SPAN_TEXT];

	read_options(s->header, &o);
	if (buf_format(out, "name\t%s/%s\n", queue, id) < 0 || add_place(out, s) < 0 || add_time(out, "again", s->again) < 0 ||
	    buf_format(out, "tries\t%lld of %lld\nreason\t", (long long)s->tries, (long long)o.tries) < 0 ||
	    add_reason(out, s->reason, s->reason_len) < 0)
		return -1;
	span_exact(o.ttr, text);
	if (buf_format(out, "\nttr\t%s\npriority\t%lld\nbackoff\t", text, (long long)s->priority) < 0 ||
	    add_backoff(out, &o) < 0 || buf_char(out, '\n') < 0 || add_time(out, "expires", o.expires > 0 ? o.expires : -1) < 0)
		return -1;
	span_exact(o.unique, text);
	return buf_format(out, "unique\t%s\nsize\t%lld\n", o.unique > 0 ? text : "-", (long long)s->bytes);
}

/* add_number adds ,"key":n or null. */
static int add_number(struct buf *out, const char *key, int64_t n)
{
	return n < 0 ? buf_format(out, ",\"%s\":null", key) : buf_format(out, ",\"%s\":%lld", key, (long long)n);
}

/* add_head is what both objects begin with. The names hold nothing that JSON would have escaped. */
static int add_head(struct buf *out, const char *queue, const char *id, const char *state, const struct listed *m)
{
	if (buf_format(out, "{\"name\":\"%s/%s\",\"queue\":\"%s\",\"id\":\"%s\",\"state\":", queue, id, queue, id) < 0 ||
	    (state[0] ? buf_format(out, "\"%s\"", state) : buf_text(out, "null")) < 0 || add_number(out, "at_ms", m->at) < 0 ||
	    add_number(out, "tries", m->tries) < 0 || buf_char(out, ',') < 0)
		return -1;
	return text_member(out, "reason", m->reason, m->reason_len);
}

int facts_shown_json(struct buf *out, const char *queue, const char *id, const struct shown *s)
{
	const struct listed m = {id, s->at, s->tries, s->reason, s->reason_len};
	struct options o;

	read_options(s->header, &o);
	if (add_head(out, queue, id, s->state, &m) < 0 || add_number(out, "now_ms", s->now) < 0 || add_number(out, "again_ms", s->again) < 0 ||
	    add_number(out, "max_tries", o.tries) < 0 || add_number(out, "ttr_ms", o.ttr) < 0 ||
	    add_number(out, "priority", s->priority) < 0 || buf_char(out, ',') < 0 || add_backoff_json(out, &o) < 0 ||
	    add_number(out, "expires_ms", o.expires > 0 ? o.expires : -1) < 0 ||
	    add_number(out, "unique_ms", o.unique > 0 ? o.unique : -1) < 0 || add_number(out, "size", s->bytes) < 0)
		return -1;
	return buf_text(out, "}\n");
}

int facts_listed(struct buf *out, const char *queue, const char *state, const struct listed *m)
{
	char when[WHEN_TEXT];

	when_format(m->at, when);
	if (buf_format(out, "%s/%s\t%s\t%s\t%lld\t", queue, m->id, state, when, (long long)m->tries) < 0 ||
	    add_reason(out, m->reason, m->reason_len) < 0)
		return -1;
	return buf_char(out, '\n');
}

int facts_listed_json(struct buf *out, const char *queue, const char *state, const struct listed *m)
{
	if (add_head(out, queue, m->id, state, m) < 0)
		return -1;
	return buf_text(out, "}\n");
}
