#include "message/members.h"

#include <string.h>

#include "base/name.h"
#include "base/text.h"
#include "message/header.h"

static bool is_leased(const char *state)
{
	return !strcmp(state, "leased");
}

static bool is_dead(const char *state)
{
	return !strcmp(state, "dead");
}

/* Queue, id and key have no characters that JSON escapes. */
int members_id(struct buf *out, const char *queue, const char *id)
{
	int key = (int)name_key_len(id, strlen(id));

	if (buf_format(out, "\"queue\":\"%s\",\"id\":\"%s\",\"key\":", queue, id) < 0)
		return -1;
	return key ? buf_format(out, "\"%.*s\"", key, id) : buf_text(out, "null");
}

int members_listed(struct buf *out, const char *queue, const char *state, const struct listed *m)
{
	if (members_id(out, queue, m->id) < 0 || buf_text(out, ",\"state\":") < 0 ||
	    (state[0] ? buf_format(out, "\"%s\"", state) : buf_text(out, "null")) < 0 ||
	    text_number(out, "due_ms", m->due) < 0 ||
	    text_number(out, "lease_until_ms", is_leased(state) ? m->at : -1) < 0 ||
	    text_number(out, "died_ms", is_dead(state) ? m->at : -1) < 0 ||
	    text_number(out, "tries", m->tries.counted) < 0 ||
	    text_number(out, "given_back", m->tries.given_back) < 0 || buf_char(out, ',') < 0)
		return -1;
	return text_members(out, "reason", m->reason_len ? m->reason : NULL, m->reason_len);
}

int members_shown(struct buf *out, const char *queue, const char *id, const struct shown *s)
{
	bool was = is_leased(s->state) || is_dead(s->state);
	const struct listed m = {id, s->at, s->tries, was ? s->delivery_due : s->at, s->reason,
				 s->reason_len, s->holder, s->holder_len, s};

	return members_listed(out, queue, s->state, &m);
}

/* add_backoff: one of the two is null. */
static int add_backoff(struct buf *out, const struct header *h)
{
	const char *before = header_is_exp(h) ? "\"backoff_ms\":null,\"backoff_exp_ms\":[" :
						"\"backoff_ms\":[";
	size_t at = 0;
	int64_t ms;

	for (; header_interval(h, &at, &ms); before = ",")
		if (buf_format(out, "%s%lld", before, (long long)ms) < 0)
			return -1;
	return buf_text(out, header_is_exp(h) ? "]" : "],\"backoff_exp_ms\":null");
}

int members_options(struct buf *out, const struct shown *s)
{
	struct trace trace;
	struct header h;

	header_read(&h, s->header, s->header_len);
	header_trace(&trace, s->header, s->header_len);
	if (text_number(out, "again_ms", s->again) < 0 ||
	    text_number(out, "first_due_ms", s->first_due) < 0 ||
	    text_number(out, "failures", s->failures) < 0 ||
	    text_number(out, "max_tries", h.tries) < 0 || text_number(out, "ttr_ms", h.ttr) < 0 ||
	    text_number(out, "priority", h.priority) < 0 || buf_char(out, ',') < 0 ||
	    add_backoff(out, &h) < 0 || text_number(out, "expires_ms", h.expires) < 0)
		return -1;
	if (text_number(out, "unique_ms", h.unique > 0 ? h.unique : -1) < 0 ||
	    text_number(out, "keep_ms", h.keep ? h.unique : -1) < 0)
		return -1;
	return trace_members(out, &trace);
}
