/* Numbers, sizes, durations, times and retry schedules: what is read prints and reads again as the
 * same; what is refused leaves the result alone. */
#include "base/duration.h"
#include "base/num.h"
#include "base/time.h"
#include "fuzz.h"
#include "message/header.h"
#include "message/line.h"

#define UNTOUCHED INT64_C(-77)

static void numbers(const char *s)
{
	int64_t n = UNTOUCHED;
	char text[32];
	struct err e;

	if (num_parse(s, 5, INT64_MAX, "-n", &n, &e) < 0) {
		fuzz_refused(&e, DQ_USAGE);
		HOLDS(n == UNTOUCHED);
		return;
	}
	HOLDS(n >= 5);
	snprintf(text, sizeof text, "%lld", (long long)n);
	while (*s == '0')
		s++;
	HOLDS(!strcmp(s, text));
}

static void sizes(const char *s)
{
	int64_t n = UNTOUCHED;
	struct err e;

	if (num_size(s, 0, INT64_C(1) << 40, "--max-bytes", &n, &e) < 0) {
		fuzz_refused(&e, DQ_USAGE);
		HOLDS(n == UNTOUCHED);
		return;
	}
	HOLDS(n >= 0 && n <= INT64_C(1) << 40);
	HOLDS(strspn(s, "0123456789") > 0);
}

static void durations(const char *s)
{
	int64_t ms = UNTOUCHED, again;
	char text[DURATION_TEXT], due[LINE_DUE];
	struct err e;

	if (num_duration(s, &ms, &e) < 0) {
		fuzz_refused(&e, DQ_USAGE);
		HOLDS(ms == UNTOUCHED);
		return;
	}
	HOLDS(ms >= 0 && ms <= NUM_DURATION_MAX);
	duration_exact(ms, text);
	HOLDS(num_duration(text, &again, &e) == 0 && again == ms);
	duration_age(ms, text);
	HOLDS(strlen(text) < DURATION_TEXT);
	HOLDS(line_delay(s, "", due, &e) == 0 && strtoll(due, NULL, 10) == ms);
}

static void times(const char *s)
{
	int64_t ms = UNTOUCHED, again;
	char text[TIME_TEXT], due[LINE_DUE];
	struct err e;

	if (time_parse(s, &ms, &e) < 0) {
		fuzz_refused(&e, DQ_USAGE);
		HOLDS(ms == UNTOUCHED);
		return;
	}
	HOLDS(ms >= 0 && ms <= TIME_MAX);
	time_format(ms, text);
	HOLDS(time_parse(text, &again, &e) == 0 && again == ms);
	/* the same day and time */
	if (s[0] != '@' && strpbrk(s, "Zz") && !strchr(s, '.') && s[17] != '6')
		HOLDS(!strncmp(s, text, 10) && !strncmp(s + 11, text + 11, 8));
	HOLDS(line_time(s, due, &e) == 0 && due[0] == '@' && strtoll(due + 1, NULL, 10) == ms);
}

/* The record's form of a schedule, MS,MS... or exp:MIN..MAX,
 * with its NUL: as lua/lib/backoff.lua reads it. */
static void check_schedule(const struct buf *b)
{
	const char *s = b->bytes;
	long long min, max;
	char end;

	HOLDS(b->len > 0 && strlen(s) == b->len - 1);
	if (!strncmp(s, "exp:", 4)) {
		HOLDS(sscanf(s, "exp:%lld..%lld%c", &min, &max, &end) == 2 && min >= 1 &&
		      min <= max && max <= NUM_DURATION_MAX);
		return;
	}
	HOLDS(strspn(s, "0123456789,") == b->len - 1 && *s != ',' && s[b->len - 2] != ',' &&
	      strstr(s, ",,") == NULL);
}

static void schedules(const char *s)
{
	struct buf b = {0};
	struct err e;

	if (header_backoff(s, &b, &e) < 0)
		fuzz_refused(&e, DQ_USAGE);
	else
		check_schedule(&b);
	buf_free(&b);
}

/* The first 8 bytes as a number: any of them can be printed. */
static void prints(const uint8_t *data, size_t size)
{
	int64_t ms = 0, again;
	char text[TIME_TEXT], span[DURATION_TEXT];
	struct err e;

	memcpy(&ms, data, size < sizeof ms ? size : sizeof ms);
	time_format(ms, text);
	if (ms >= 0 && ms <= TIME_MAX)
		HOLDS(time_parse(text, &again, &e) == 0 && again == ms);
	duration_age(ms, span);
	HOLDS(strlen(span) < DURATION_TEXT);
	if (ms < 0)
		return;
	duration_exact(ms, span);
	HOLDS(num_duration(span, &again, &e) == 0 ? again == ms : ms > NUM_DURATION_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *s = fuzz_text(data, size);

	numbers(s);
	sizes(s);
	durations(s);
	times(s);
	schedules(s);
	if (size > 0)
		prints(data, size);
	free(s);
	return 0;
}
