/* canvas: the lines of a whole screen, no longer and no more than it has room for. Pure. */
#ifndef DQ_CANVAS_H
#define DQ_CANVAS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

struct canvas {
	struct buf *out;
	int columns, rows;
	bool colour;
	bool blocks; /* the terminal knows the block characters of Unicode */
	int line;    /* lines begun so far */
	int left;    /* columns left in this line */
	bool failed; /* out of memory; the frame is useless */
};

/* canvas_line begins the next line; false: the screen is full. */
bool canvas_line(struct canvas *c);

/* canvas_end clears the screen below the last line. */
void canvas_end(struct canvas *c);

/* canvas_text adds text; each character takes a column. */
void canvas_text(struct canvas *c, const char *text);

/* canvas_format does the same with a format, of at most 300 bytes. */
void canvas_format(struct canvas *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* canvas_style sets an SGR sequence, NULL: plain; it does nothing without colours. */
void canvas_style(struct canvas *c, const char *sgr);

/* canvas_level adds one character for value on a scale from 0 to max. */
void canvas_level(struct canvas *c, double value, double max);

/* canvas_bar adds a bar of value; a bar of max is `width` characters long. */
void canvas_bar(struct canvas *c, double value, double max, int width);

/* canvas_blocks: does the locale say that the terminal takes UTF-8? */
bool canvas_blocks(void);

#endif
