#include "report.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define LEVELS 4

static const char *const names[LEVELS] = {"ok", "warning", "critical", "unknown"};

/* The worst first. */
static const enum report_level order[LEVELS] = {REPORT_CRITICAL, REPORT_UNKNOWN, REPORT_WARNING, REPORT_OK};

int report_add(struct report *f, enum report_level level, const char *what, const char *remedy, const char *format, ...)
{
	struct report_line *items = realloc(f->items, (f->count + 1) * sizeof *items);
	struct report_line *one;
	va_list args;

	if (!items)
		return -1;
	f->items = items;
	one = &items[f->count++];
	one->level = level;
	one->what = what;
	one->remedy = remedy;
	va_start(args, format);
	(void)vsnprintf(one->why, sizeof one->why, format, args);
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

/* each calls write for every line, the worst first. */
static int each(const struct report *f, struct buf *out, int (*write)(struct buf *out, const struct report_line *one, size_t n))
{
	size_t n = 0;

	for (size_t level = 0; level < LEVELS; level++)
		for (size_t i = 0; i < f->count; i++)
			if (f->items[i].level == order[level] && write(out, &f->items[i], n++) < 0)
				return -1;
	return 0;
}

static int write_line(struct buf *out, const struct report_line *one, size_t n)
{
	(void)n;
	return buf_format(out, "%s\t%s\t%s%s%s\n", names[one->level], one->what, one->why, one->remedy ? "; " : "",
			  one->remedy ? one->remedy : "");
}

int report_lines(struct buf *out, const struct report *f)
{
	return each(f, out, write_line);
}

static int write_json(struct buf *out, const struct report_line *one, size_t n)
{
	if (buf_format(out, "%s{\"level\":\"%s\",\"what\":\"%s\",\"why\":", n ? "," : "", names[one->level], one->what) < 0 ||
	    text_json(out, one->why, strlen(one->why)) < 0)
		return -1;
	if (buf_text(out, ",\"remedy\":") < 0 ||
	    (one->remedy ? text_json(out, one->remedy, strlen(one->remedy)) : buf_text(out, "null")) < 0)
		return -1;
	return buf_char(out, '}');
}

int report_json(struct buf *out, const struct report *f)
{
	if (buf_format(out, "{\"version\":1,\"status\":\"%s\",\"findings\":[", names[report_worst(f)]) < 0)
		return -1;
	return each(f, out, write_json) < 0 ? -1 : buf_text(out, "]}\n");
}

void report_free(struct report *f)
{
	free(f->items);
	f->items = NULL;
	f->count = 0;
}
