#include "threshold.h"

#include <stdio.h>
#include <string.h>

#include "base/duration.h"
#include "base/num.h"
#include "base/text.h"

/* the greatest integer of Redis and of readers of JSON */
#define LIMIT_MAX INT64_C(9007199254740991)
#define TERM_MAX 80
#define SHOWN 100

static int refuse(const char *term, struct err *e)
{
	char shown[SHOWN];

	return err_set(e, DQ_USAGE,
		       "\"%s\": not NUMBER>LIMIT (delayed due ready leased dead expired oldest "
		       "late retrying failing limited held; > >= < <=, "
		       "or :gt: :ge: :lt: :le:), nor none",
		       text_shown(shown, sizeof shown, term, strlen(term)));
}

/* trim removes blanks from both ends, in place. */
static char *trim(char *text)
{
	size_t len;

	text += strspn(text, " ");
	for (len = strlen(text); len > 0 && text[len - 1] == ' '; len--)
		text[len - 1] = 0;
	return text;
}

static int read_limit(const char *text, struct threshold *t, struct err *e)
{
	if (metric_is_span(t->metric))
		return num_duration(text, &t->limit, e);
	return num_parse(text, 0, LIMIT_MAX, metric_name(t->metric), &t->limit, e);
}

/* An operator, and the same for programs that refuse < and > in arguments. */
static const struct {
	const char *text;
	bool above, equal;
} operators[] = {
	{">=", true, true}, {">", true, false}, {"<=", false, true}, {"<", false, false},
	{":ge:", true, true}, {":gt:", true, false}, {":le:", false, true}, {":lt:", false, false},
};

/* read_operator returns its length; 0: there is none. */
static size_t read_operator(const char *at, struct threshold *t)
{
	for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
		size_t len = strlen(operators[i].text);
		t->above = operators[i].above;
		t->equal = operators[i].equal;
		if (!strncmp(at, operators[i].text, len))
			return len;
	}
	return 0;
}

static int read_term(char *term, struct threshold *t, struct err *e)
{
	char *op = strpbrk(term, "<>:");
	size_t len, op_len = op ? read_operator(op, t) : 0;

	if (!op_len)
		return refuse(term, e);
	for (len = (size_t)(op - term); len > 0 && term[len - 1] == ' '; len--)
		;
	t->metric = metric_find(term, len);
	if (t->metric == METRIC_COUNT)
		return refuse(term, e);
	return read_limit(trim(op + op_len), t, e);
}

int thresholds_add(struct thresholds *t, const char *text, struct err *e)
{
	if (!strcmp(text, "none"))
		return 0;
	for (;;) {
		char term[TERM_MAX];
		size_t len = strcspn(text, ",");
		if (len >= sizeof term)
			return refuse(text, e);
		if (t->count == THRESHOLDS_MAX)
			return err_set(e, DQ_USAGE, "more than %d limits", THRESHOLDS_MAX);
		memcpy(term, text, len);
		term[len] = 0;
		if (read_term(trim(term), &t->items[t->count], e) < 0)
			return -1;
		t->count++;
		text += len;
		if (!*text++)
			return 0;
	}
}

static bool is_reached(const struct threshold *t, int64_t value)
{
	if (value < 0)
		value = 0;
	if (value == t->limit)
		return t->equal;
	return t->above ? value > t->limit : value < t->limit;
}

const struct threshold *thresholds_reached(const struct thresholds *t, enum metric m, int64_t value)
{
	for (size_t i = 0; i < t->count; i++)
		if (t->items[i].metric == m && is_reached(&t->items[i], value))
			return &t->items[i];
	return NULL;
}

const struct threshold *thresholds_of(const struct thresholds *t, enum metric m)
{
	for (size_t i = 0; i < t->count; i++)
		if (t->items[i].metric == m)
			return &t->items[i];
	return NULL;
}

void threshold_shown(const struct threshold *t, char out[THRESHOLD_TEXT])
{
	char limit[DURATION_TEXT];

	if (metric_is_span(t->metric))
		duration_exact(t->limit, limit);
	else
		snprintf(limit, sizeof limit, "%lld", (long long)t->limit);
	snprintf(out, THRESHOLD_TEXT, "%c%s%s", t->above ? '>' : '<', t->equal ? "=" : "", limit);
}

void threshold_range(const struct threshold *t, char out[THRESHOLD_TEXT])
{
	/* the last good value */
	int64_t limit = t->above ? t->limit - t->equal : t->limit + t->equal;
	char text[METRIC_TEXT];

	if (metric_is_span(t->metric))
		metric_seconds(limit, text);
	else
		snprintf(text, sizeof text, "%lld", (long long)limit);
	snprintf(out, THRESHOLD_TEXT, "%s%s%s", t->above && limit < 0 ? "~:" : "", text,
		 t->above ? "" : ":");
}
