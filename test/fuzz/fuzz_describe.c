/* What is shown of a message, whatever its header, reason and numbers: lines that cannot be taken
 * for others, and JSON. */
#include "dq-stat/describe.h"
#include "fuzz.h"
#include "json.h"
#include "message/header.h"

/* describe_lines: so many lines KEY TAB VALUE, each value there and without a TAB. */
static void check_lines(const char *s, size_t len, int wanted)
{
	int lines = 0;

	for (const char *end; len > 0; len -= (size_t)(end + 1 - s), s = end + 1, lines++) {
		const char *tab;

		end = memchr(s, '\n', len);
		HOLDS(end != NULL);
		tab = memchr(s, '\t', (size_t)(end - s));
		HOLDS(tab != NULL && tab > s && end - tab > 1);
		HOLDS(memchr(tab + 1, '\t', (size_t)(end - tab - 1)) == NULL &&
		      memchr(s, '\0', (size_t)(end - s)) == NULL);
	}
	HOLDS(lines == wanted);
}

/* The schedule that is shown is one that dq-put -b reads, if it is not too long for that. */
static void check_schedule(const char *shown, const struct shown *s)
{
	const char *line = strstr(shown, "\nbackoff\t");
	struct buf b = {0};
	struct header h;
	char *text;
	struct err e;

	header_read(&h, s->header, s->header_len);
	HOLDS(line != NULL);
	line += strlen("\nbackoff\t");
	text = strndup(line, strcspn(line, "\n"));
	HOLDS(text != NULL);
	if (header_backoff(text, &b, &e) == 0)
		HOLDS(!strcmp(b.bytes, QUEUE_BACKOFF) ||
		      (h.backoff > s->header && h.backoff < s->header + s->header_len));
	else
		HOLDS(h.backoff_len > 12); /* beyond 100 years, or more than 64 waits */
	buf_free(&b);
	free(text);
}

static void add_line(struct buf *b)
{
	HOLDS(b->len > 0 && b->bytes[b->len - 1] == '\n' &&
	      memchr(b->bytes, '\n', b->len) == b->bytes + b->len - 1);
	b->bytes[--b->len] = '\0';
	HOLDS(json_valid(b->bytes, b->len));
	b->len = 0;
}

/* data: numbers, one byte that picks the state, then header, LF, reason. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const states[] = {"delayed", "due", "ready", "leased", "dead", ""};
	int64_t n[3] = {0};
	struct buf b = {0};
	char *header, *reason;
	struct shown s = {.exists = true};
	struct listed m;

	if (size < 10)
		return 0;
	memcpy(n, data, 8);
	n[1] = data[8] * INT64_C(10000000000);
	s = (struct shown){.exists = true, .now = n[1], .state = states[data[9] % 6],
			   .at = n[0] % 3 ? n[1] + n[0] % 1000000 : n[0], .priority = data[8],
			   .tries = {data[9], data[8]}, .delivery_due = n[1], .again = n[0],
			   .first_due = n[1], .bytes = (int64_t)size, .payload = ""};
	header = fuzz_text(data + 10, size - 10);
	reason = strchr(header, '\n');
	s.reason = reason ? reason + 1 : "";
	s.reason_len = reason ? size - 10 - (size_t)(reason + 1 - header) : 0;
	s.header = header;
	s.header_len = reason ? (size_t)(reason - header) : size - 10;
	if (reason)
		*reason = '\0';
	s.holder = s.reason;
	s.holder_len = s.reason_len;
	m = (struct listed){"id", n[0], {n[1], n[1]}, n[0], s.reason, s.reason_len, s.holder,
			    s.holder_len, NULL};
	HOLDS(describe_shown(&b, "q", "id", &s) == 0);
	check_lines(b.bytes, b.len,
		    !strcmp(s.state, "leased") || !strcmp(s.state, "dead") ? 23 : 21);
	HOLDS(buf_char(&b, 0) == 0);
	check_schedule(b.bytes, &s);
	b.len = 0;
	HOLDS(describe_shown_json(&b, "q", "id", &s) == 0);
	add_line(&b);
	HOLDS(describe_listed_json(&b, "q", "dead", &m) == 0);
	add_line(&b);
	m.shown = &s;
	HOLDS(describe_listed_json(&b, "q", "ready", &m) == 0);
	add_line(&b);
	buf_free(&b);
	free(header);
	return 0;
}
