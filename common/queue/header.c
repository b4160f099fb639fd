#include "queue/header.h"

#include <string.h>

#include "queue/queue.h"

/* take_digits reads the digits from s on, and returns what follows them; *n is beyond all limits where they are too many. */
static const char *take_digits(const char *s, const char *end, int64_t *n)
{
	*n = 0;
	for (; s < end && *s >= '0' && *s <= '9'; s++)
		if (*n < HEADER_SPAN)
			*n = *n * 10 + (*s - '0');
	return s;
}

/* field finds the first " letter=TEXT" with a text: up to the next blank. */
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

static int64_t number(const char *s, size_t len, char letter, int64_t min, int64_t max, int64_t otherwise)
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
	if (to == s + 4 || end - to < 3 || memcmp(to, "..", 2) || take_digits(to + 2, end, &max) != end)
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

void header_read(struct header *h, const char *text, size_t len)
{
	h->ttr = number(text, len, 't', 1, HEADER_SPAN - 1, QUEUE_TTR_MS);
	h->tries = number(text, len, 'r', 1, HEADER_TRIES_MAX, QUEUE_TRIES);
	h->expires = number(text, len, 'x', 0, HEADER_SPAN - 1, -1);
	h->unique = number(text, len, 'u', 0, HEADER_SPAN - 1, 0);
	h->backoff = field(text, len, 'b', &h->backoff_len);
	if (!h->backoff || !(is_list(h->backoff, h->backoff_len) || is_exponential(h->backoff, h->backoff_len))) {
		h->backoff = QUEUE_BACKOFF;
		h->backoff_len = strlen(QUEUE_BACKOFF);
	}
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
