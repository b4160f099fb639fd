#include "canvas.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEVELS 9

static const char *const blocks[LEVELS] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
static const char *const letters[LEVELS] = {" ", "_", ".", ":", "-", "=", "+", "*", "#"};

static void add(struct canvas *c, const char *bytes, size_t len)
{
	c->failed = c->failed || buf_add(c->out, bytes, len) < 0;
}

/* canvas_line first clears the rest of the old line: after the last column some terminals would
 * clear that column. */
bool canvas_line(struct canvas *c)
{
	static const char first[] = "\033[H\033[K", other[] = "\r\n\033[K";

	if (c->line == c->rows)
		return false;
	if (c->line++ == 0)
		add(c, first, sizeof first - 1);
	else
		add(c, other, sizeof other - 1);
	c->left = c->columns;
	return true;
}

void canvas_end(struct canvas *c)
{
	static const char below[] = "\r\n\033[J";

	if (c->line < c->rows)
		add(c, below, sizeof below - 1);
}

/* width returns the bytes of one UTF-8 character. */
static size_t width(const char *text)
{
	size_t n = 1;

	while (((unsigned char)text[n] & 0xc0) == 0x80)
		n++;
	return n;
}

void canvas_text(struct canvas *c, const char *text)
{
	while (*text && c->left > 0) {
		size_t n = width(text);
		add(c, text, n);
		text += n;
		c->left--;
	}
}

void canvas_format(struct canvas *c, const char *format, ...)
{
	char text[300];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text, sizeof text, format, args);
	va_end(args);
	canvas_text(c, text);
}

void canvas_style(struct canvas *c, const char *sgr)
{
	if (!sgr)
		sgr = "\033[0m";
	if (c->colour)
		add(c, sgr, strlen(sgr));
}

void canvas_level(struct canvas *c, double value, double max)
{
	int level = value <= 0 || max <= 0 ? 0 : 1 + (int)(value / max * (LEVELS - 2) + 0.5);

	canvas_text(c, (c->blocks ? blocks : letters)[level < LEVELS ? level : LEVELS - 1]);
}

void canvas_bar(struct canvas *c, double value, double max, int columns)
{
	int n = value <= 0 || max <= 0 ? 0 : (int)(value / max * columns + 0.5);

	if (value > 0 && n == 0)
		n = 1;
	for (int i = 0; i < columns; i++)
		canvas_text(c, i >= n ? " " : c->blocks ? blocks[LEVELS - 1] : letters[LEVELS - 1]);
}

bool canvas_blocks(void)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *value = getenv(names[i]);
		if (value && *value)
			return strstr(value, "UTF-8") || strstr(value, "utf8");
	}
	return false;
}
