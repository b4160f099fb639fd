#include "report.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define LEVELS 4

static const char *const names[LEVELS] = {"ok", "warning", "critical", "unknown"};
static const char *const shouted[LEVELS] = {"OK", "WARNING", "CRITICAL", "UNKNOWN"};

/* From the worst to the best. */
static const enum report_level order[LEVELS] = {REPORT_CRITICAL, REPORT_UNKNOWN, REPORT_WARNING,
						REPORT_OK};

int report_add(struct report *f, enum report_level level, const char *what, const char *remedy,
	       const char *format, ...)
{
	struct report_line *items = realloc(f->items, (f->count + 1) * sizeof *items);
	struct report_line *one;
	va_list args;
	int at;

	if (!items)
		return -1;
	f->items = items;
	one = &items[f->count++];
	one->level = level;
	one->what = what;
	one->remedy = remedy;
	snprintf(one->queue, sizeof one->queue, "%s", f->queue ? f->queue : "");
	snprintf(one->key, sizeof one->key, "%s", f->key ? f->key : "");
	at = f->node ? snprintf(one->why, sizeof one->why, "%s: ", f->node) : 0;
	va_start(args, format);
	(void)vsnprintf(one->why + at, sizeof one->why - (size_t)at, format, args);
	va_end(args);
	return 0;
}

static size_t count(const struct report *f, enum report_level level)
{
	size_t n = 0;

	for (size_t i = 0; i < f->count; i++)
		n += f->items[i].level == level;
	return n;
}

enum report_level report_worst(const struct report *f)
{
	size_t i = 0;

	while (i < LEVELS - 1 && count(f, order[i]) == 0)
		i++;
	return order[i];
}

/* each calls write for every line, from the worst to the best. */
static int each(const struct report *f, struct buf *out,
		int (*write)(struct buf *out, const struct report_line *one, size_t n))
{
	size_t n = 0;

	for (size_t level = 0; level < LEVELS; level++)
		for (size_t i = 0; i < f->count; i++)
			if (f->items[i].level == order[level] && write(out, &f->items[i], n++) < 0)
				return -1;
	return 0;
}

/* add_remedy: a command can be copied as it is. */
static int add_remedy(struct buf *out, const struct report_line *one)
{
	const char *from = one->remedy;

	while (*from) {
		bool queue = one->queue[0] && !strncmp(from, "QUEUE", 5),
		     key = one->key[0] && !strncmp(from, "KEY", 3);
		if ((queue ? buf_text(out, one->queue) :
		     key   ? buf_text(out, one->key) :
			     buf_char(out, *from)) < 0)
			return -1;
		from += queue ? 5 : key ? 3 : 1;
	}
	return 0;
}

static int write_line(struct buf *out, const struct report_line *one, size_t n)
{
	(void)n;
	if (buf_format(out, "%s\t%s\t%s", names[one->level], one->what, one->why) < 0)
		return -1;
	if (one->remedy && (buf_text(out, "; ") < 0 || add_remedy(out, one) < 0))
		return -1;
	return buf_char(out, '\n');
}

int report_lines(struct buf *out, const struct report *f)
{
	return each(f, out, write_line);
}

#define SUMMED_UP 5 /* findings */

/* add_reason adds a sentence. If it is about the same queue as the one before, it adds only the new
 * part. It replaces '|', behind which monitoring expects performance data. */
static int add_reason(struct buf *out, const char *why, const char *before)
{
	const char *colon = strstr(why, ": ");
	size_t len = colon ? (size_t)(colon - why) + 2 : 0;
	bool same = before && len && !strncmp(before, why, len);
	size_t from = out->len;

	if (buf_format(out, "%s%s", !before ? "" : same ? ", " : "; ", same ? why + len : why) < 0)
		return -1;
	for (char *at = out->bytes + from; at < out->bytes + out->len; at++)
		if (*at == '|')
			*at = '/';
	return 0;
}

/* add_reasons adds the findings that are not ok, from the worst to the best; if there are none,
 * that of the server's version. */
static int add_reasons(struct buf *out, const struct report *f)
{
	const char *before = NULL;
	size_t shown = 0, all = f->count - count(f, REPORT_OK);

	for (size_t level = 0; level < LEVELS; level++)
		for (size_t i = 0; i < f->count && shown < SUMMED_UP; i++) {
			const struct report_line *one = &f->items[i];
			if (one->level != order[level] ||
			    (one->level == REPORT_OK &&
			     (shown > 0 || strcmp(one->what, "server") != 0)))
				continue;
			if (add_reason(out, one->why, before) < 0)
				return -1;
			before = one->why;
			shown++;
		}
	return all > shown ? buf_format(out, "; and %zu more", all - shown) : 0;
}

int report_summary(struct buf *out, const struct report *f, size_t queues, const struct buf *perf)
{
	enum report_level worst = report_worst(f);

	if (buf_format(out, "DQ %s - ", shouted[worst]) < 0 || add_reasons(out, f) < 0)
		return -1;
	if (worst == REPORT_OK &&
	    buf_format(out, "; %zu queue%s", queues, queues == 1 ? "" : "s") < 0)
		return -1;
	if (perf->len && (buf_text(out, " | ") < 0 || buf_add(out, perf->bytes, perf->len) < 0))
		return -1;
	return buf_char(out, '\n');
}

static int json_remedy(struct buf *out, const struct report_line *one)
{
	struct buf text = {NULL, 0, 0};
	int status;

	if (!one->remedy)
		return buf_text(out, "null");
	status = add_remedy(&text, one) < 0 ? -1 : text_json(out, text.bytes, text.len);
	buf_free(&text);
	return status;
}

static int write_json(struct buf *out, const struct report_line *one, size_t n)
{
	if (buf_format(out, "%s{\"level\":\"%s\",\"what\":\"%s\",\"why\":", n ? "," : "",
		       names[one->level], one->what) < 0 ||
	    text_json(out, one->why, strlen(one->why)) < 0)
		return -1;
	if (buf_text(out, ",\"remedy\":") < 0 || json_remedy(out, one) < 0)
		return -1;
	return buf_char(out, '}');
}

int report_json(struct buf *out, const struct report *f)
{
	if (buf_format(out, "{\"version\":1,\"status\":\"%s\",\"findings\":[",
		       names[report_worst(f)]) < 0)
		return -1;
	return each(f, out, write_json) < 0 ? -1 : buf_text(out, "]}\n");
}

void report_free(struct report *f)
{
	free(f->items);
	f->items = NULL;
	f->count = 0;
}
