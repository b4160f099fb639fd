#include "format.h"

#include <string.h>

#include "base/text.h"
#include "message/members.h"

static int add_json(struct buf *out, const char *queue, const char *token, const struct delivery *d)
{
	/* Queue, id and token have no characters that JSON escapes. */
	if (buf_format(out, "{\"receipt\":\"%s/%s@%s\",", queue, d->id, token) < 0 ||
	    members_id(out, queue, d->id) < 0 ||
	    buf_format(out,
		       ",\"try\":%lld,\"tries\":%lld,\"max_tries\":%lld,\"given_back\":%lld,"
		       "\"due_ms\":%lld,\"lease_until_ms\":%lld",
		       (long long)d->tries.counted, (long long)d->tries.counted,
		       (long long)d->max_tries, (long long)d->tries.given_back, (long long)d->due,
		       (long long)d->lease_until) < 0 ||
	    trace_members(out, &d->trace) < 0 || buf_char(out, ',') < 0 ||
	    text_members(out, "reason", d->reason_len ? d->reason : NULL, d->reason_len) < 0 ||
	    buf_char(out, ',') < 0 || text_members(out, "payload", d->payload, d->len) < 0)
		return -1;
	return buf_text(out, "}\n");
}

static int add_plain(struct buf *out, enum format format, const char *queue, const char *token,
		     const struct delivery *d)
{
	int nul = format == FORMAT_NUL;

	if (buf_format(out, "%s/%s@%s", queue, d->id, token) < 0 ||
	    buf_char(out, nul ? '\0' : '\t') < 0)
		return -1;
	if (nul ? buf_add(out, d->payload, d->len) < 0 :
		  (format == FORMAT_SHOWN ? text_line : text_tsv)(out, d->payload, d->len) < 0)
		return -1;
	return buf_char(out, nul ? '\0' : '\n');
}

int format_add(struct buf *out, enum format format, const char *queue, const struct take *t,
	       size_t i, struct err *e)
{
	struct delivery d;
	int status;

	take_delivery(t, i, &d);
	if (format == FORMAT_NUL && d.len && memchr(d.payload, 0, d.len))
		return err_set(e, DQ_DATA,
			       "the payload has a NUL byte, which -0 cannot print (use the default "
			       "format or --json)");
	if (format == FORMAT_JSON)
		status = add_json(out, queue, t->token, &d);
	else
		status = add_plain(out, format, queue, t->token, &d);
	return status < 0 ? err_memory(e) : 0;
}
