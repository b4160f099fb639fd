#include "queue/message.h"

#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "queue/queue.h"

static int field(struct buf *out, bool *first, char letter, int64_t value)
{
	int status = buf_format(out, "%s%c=%lld", *first ? "" : " ", letter, (long long)value);

	*first = false;
	return status;
}

int message_header(const struct message_options *o, struct buf *out)
{
	bool first = !o->expires;

	if (o->backoff) {
		if (buf_format(out, "%sb=%s", first ? "" : " ", o->backoff) < 0)
			return -1;
		first = false;
	}
	if ((o->priority != QUEUE_PRIORITY && field(out, &first, 'p', o->priority) < 0) ||
	    (o->tries != QUEUE_TRIES && field(out, &first, 'r', o->tries) < 0) ||
	    (o->ttr != QUEUE_TTR_MS && field(out, &first, 't', o->ttr) < 0) ||
	    (o->unique != 0 && field(out, &first, 'u', o->unique) < 0))
		return -1;
	return buf_char(out, '\n');
}

/* one_duration reads the len bytes at s. */
static int one_duration(const char *s, size_t len, int64_t *ms, struct err *e)
{
	char text[40], shown[80];

	if (len >= sizeof text)
		return err_set(e, DQ_USAGE, "\"%s\": not a duration", text_shown(shown, sizeof shown, s, len));
	memcpy(text, s, len);
	text[len] = 0;
	return num_duration(text, ms, e);
}

static int exponential(const char *text, struct buf *out, struct err *e)
{
	const char *dots = strstr(text, "..");
	int64_t min, max;

	if (!dots)
		return err_set(e, DQ_USAGE, "an exponential schedule is exp:MIN..MAX, such as exp:1s..1h");
	if (one_duration(text, (size_t)(dots - text), &min, e) < 0 || one_duration(dots + 2, strlen(dots + 2), &max, e) < 0)
		return -1;
	if (min < 1 || min > max)
		return err_set(e, DQ_USAGE, "exp:MIN..MAX: MIN is at least 1ms and at most MAX");
	if (buf_format(out, "exp:%lld..%lld", (long long)min, (long long)max) < 0 || buf_char(out, 0) < 0)
		return err_memory(e);
	return 0;
}

int message_backoff(const char *text, struct buf *out, struct err *e)
{
	int count = 0;

	if (!strncmp(text, "exp:", 4))
		return exponential(text + 4, out, e);
	for (;;) {
		size_t len = strcspn(text, ",");
		int64_t ms;

		if (one_duration(text, len, &ms, e) < 0)
			return -1;
		if (++count > MESSAGE_BACKOFF_MAX)
			return err_set(e, DQ_USAGE, "a schedule has at most %d intervals", MESSAGE_BACKOFF_MAX);
		if (buf_format(out, "%s%lld", count > 1 ? "," : "", (long long)ms) < 0)
			return err_memory(e);
		text += len;
		if (!*text)
			break;
		text++;
	}
	return buf_char(out, 0) < 0 ? err_memory(e) : 0;
}

int64_t message_tries(const char *backoff)
{
	int64_t tries = 2;

	if (!backoff || !strncmp(backoff, "exp:", 4))
		return QUEUE_TRIES;
	for (; *backoff; backoff++)
		tries += *backoff == ',';
	return tries;
}
