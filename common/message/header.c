#include "message/header.h"

#include <string.h>

#include "base/num.h"
#include "base/percent.h"
#include "base/text.h"
#include "queue/queue.h"

/* --- writing --- */

/* begin adds the name of a field. */
static int begin(struct buf *out, bool *first, char letter)
{
	int status = buf_format(out, "%s%c=", *first ? "" : " ", letter);

	*first = false;
	return status;
}

static int add_text(struct buf *out, bool *first, char letter, const char *text)
{
	return begin(out, first, letter) < 0 ? -1 : buf_text(out, text);
}

static int add_number(struct buf *out, bool *first, char letter, int64_t value)
{
	return begin(out, first, letter) < 0 ? -1 : buf_format(out, "%lld", (long long)value);
}

/* add_coded encodes the text, because a blank would end the field. */
static int add_coded(struct buf *out, bool *first, char letter, const char *text)
{
	if (begin(out, first, letter) < 0)
		return -1;
	for (; *text; text++)
		if ((*text == ' ' || *text == '%' ? buf_format(out, "%%%02X", *text) :
						    buf_char(out, *text)) < 0)
			return -1;
	return 0;
}

int header_write(const struct header_options *o, struct buf *out)
{
	bool first = !o->expires;

	if ((o->backoff && add_text(out, &first, 'b', o->backoff) < 0) ||
	    (o->traceparent && add_text(out, &first, 'c', o->traceparent) < 0) ||
	    (o->keep && o->unique != 0 && add_number(out, &first, 'k', 1) < 0) ||
	    (o->priority != QUEUE_PRIORITY && add_number(out, &first, 'p', o->priority) < 0) ||
	    (o->tries != QUEUE_TRIES && add_number(out, &first, 'r', o->tries) < 0) ||
	    (o->tracestate && add_coded(out, &first, 's', o->tracestate) < 0) ||
	    (o->ttr != QUEUE_TTR_MS && add_number(out, &first, 't', o->ttr) < 0) ||
	    (o->unique != 0 && add_number(out, &first, 'u', o->unique) < 0))
		return -1;
	return buf_char(out, '\n');
}

/* one_duration reads the len bytes at s. */
static int one_duration(const char *s, size_t len, int64_t *ms, struct err *e)
{
	char text[40], shown[80];

	if (len >= sizeof text)
		return err_set(e, DQ_USAGE, "\"%s\": not a duration",
			       text_shown(shown, sizeof shown, s, len));
	memcpy(text, s, len);
	text[len] = 0;
	return num_duration(text, ms, e);
}

static int exponential(const char *text, struct buf *out, struct err *e)
{
	const char *dots = strstr(text, "..");
	int64_t min, max;

	if (!dots)
		return err_set(e, DQ_USAGE,
			       "an exponential schedule is exp:MIN..MAX, such as exp:1s..1h");
	if (one_duration(text, (size_t)(dots - text), &min, e) < 0 ||
	    one_duration(dots + 2, strlen(dots + 2), &max, e) < 0)
		return -1;
	if (min < 1 || min > max)
		return err_set(e, DQ_USAGE, "exp:MIN..MAX: MIN is at least 1ms and at most MAX");
	if (buf_format(out, "exp:%lld..%lld", (long long)min, (long long)max) < 0 ||
	    buf_char(out, 0) < 0)
		return err_memory(e);
	return 0;
}

int header_backoff(const char *text, struct buf *out, struct err *e)
{
	int count = 0;

	if (!strncmp(text, "exp:", 4))
		return exponential(text + 4, out, e);
	for (;;) {
		size_t len = strcspn(text, ",");
		int64_t ms;

		if (one_duration(text, len, &ms, e) < 0)
			return -1;
		if (++count > HEADER_BACKOFF_MAX)
			return err_set(e, DQ_USAGE, "a schedule has at most %d intervals",
				       HEADER_BACKOFF_MAX);
		if (buf_format(out, "%s%lld", count > 1 ? "," : "", (long long)ms) < 0)
			return err_memory(e);
		text += len;
		if (!*text)
			break;
		text++;
	}
	return buf_char(out, 0) < 0 ? err_memory(e) : 0;
}

int64_t header_tries(const char *backoff)
{
	int64_t tries = 2;

	if (!backoff || !strncmp(backoff, "exp:", 4))
		return QUEUE_TRIES;
	for (; *backoff; backoff++)
		tries += *backoff == ',';
	return tries;
}

/* --- reading --- */

/* take_digits reads the digits from s on, and returns the position behind them; after too many
 * digits *n exceeds all limits. */
static const char *take_digits(const char *s, const char *end, int64_t *n)
{
	*n = 0;
	for (; s < end && *s >= '0' && *s <= '9'; s++)
		if (*n < HEADER_SPAN)
			*n = *n * 10 + (*s - '0');
	return s;
}

/* field finds the first " letter=TEXT", whose text ends at the next blank. */
static const char *field(const char *s, size_t len, char letter, size_t *text_len)
{
	const char *end = s + len;

	while (s < end) {
		const char *blank = memchr(s, ' ', (size_t)(end - s));
		size_t n = (size_t)((blank ? blank : end) - s);
		if (n > 2 && s[0] == letter && s[1] == '=') {
			*text_len = n - 2;
			return s + 2;
		}
		s += n + 1;
	}
	return NULL;
}

static int64_t number(const char *s, size_t len, char letter, int64_t min, int64_t max,
		      int64_t otherwise)
{
	size_t n;
	const char *text = field(s, len, letter, &n);
	int64_t value;

	if (!text || take_digits(text, text + n, &value) != text + n || value < min || value > max)
		return otherwise;
	return value;
}

static bool is_exponential(const char *s, size_t len)
{
	const char *end = s + len, *to;
	int64_t min, max;

	if (len < 4 || memcmp(s, "exp:", 4))
		return false;
	to = take_digits(s + 4, end, &min);
	if (to == s + 4 || end - to < 3 || memcmp(to, "..", 2) ||
	    take_digits(to + 2, end, &max) != end)
		return false;
	return min >= 1 && min <= max && max < HEADER_SPAN;
}

static bool is_list(const char *s, size_t len)
{
	const char *end = s + len, *to;
	int64_t ms;

	for (;; s = to + 1) {
		to = take_digits(s, end, &ms);
		if (to == s || ms >= HEADER_SPAN)
			return false;
		if (to == end || *to != ',')
			return to == end;
	}
}

size_t header_split(const char *record, size_t len, const char **payload)
{
	const char *end = memchr(record, '\n', len);

	*payload = end ? end + 1 : record;
	return end ? (size_t)(end - record) : 0;
}

void header_read(struct header *h, const char *text, size_t len)
{
	h->ttr = number(text, len, 't', 1, HEADER_SPAN - 1, QUEUE_TTR_MS);
	h->tries = number(text, len, 'r', 1, HEADER_TRIES_MAX, QUEUE_TRIES);
	h->priority = number(text, len, 'p', 0, 255, QUEUE_PRIORITY);
	h->expires = number(text, len, 'x', 0, HEADER_SPAN - 1, -1);
	h->unique = number(text, len, 'u', 0, HEADER_SPAN - 1, 0);
	h->keep = h->unique > 0 && number(text, len, 'k', 0, 1, 0) == 1;
	h->backoff = field(text, len, 'b', &h->backoff_len);
	if (!h->backoff ||
	    !(is_list(h->backoff, h->backoff_len) || is_exponential(h->backoff, h->backoff_len))) {
		h->backoff = QUEUE_BACKOFF;
		h->backoff_len = strlen(QUEUE_BACKOFF);
	}
}

void header_trace(struct trace *t, const char *text, size_t len)
{
	char decoded[TRACE_STATE_MAX * 3 + 1] = "";
	size_t n;
	const char *state = field(text, len, 's', &n);

	t->state[0] = '\0';
	t->parent_len = 0;
	t->parent = field(text, len, 'c', &t->parent_len);
	if (t->parent && !trace_parent_valid(t->parent, t->parent_len))
		t->parent = NULL;
	if (t->parent && state && percent_decode(state, n, decoded, sizeof decoded, &n) == 0 &&
	    n < sizeof decoded)
		trace_state(decoded, n, t->state);
}

bool header_is_exp(const struct header *h)
{
	return h->backoff[0] == 'e';
}

bool header_interval(const struct header *h, size_t *at, int64_t *ms)
{
	const char *end = h->backoff + h->backoff_len, *s = h->backoff + *at;

	while (s < end && (*s < '0' || *s > '9'))
		s++;
	if (s == end)
		return false;
	*at = (size_t)(take_digits(s, end, ms) - h->backoff);
	return true;
}
