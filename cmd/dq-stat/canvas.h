/* canvas: the lines of a whole screen, none longer than it is wide, none more than it has. Pure. */
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
	int line;    /* begun so far */
	int left;    /* columns of this line */
	bool failed; /* memory ran out; the frame is of no use */
};

/* canvas_line begins the next line; false: there is none left. canvas_end clears what is below the last one. */
bool canvas_line(struct canvas *c);
void canvas_end(struct canvas *c);

/* canvas_text adds text; each character takes a column. canvas_format likewise, of at most 300 bytes. canvas_style begins to write in that
 * SGR sequence, NULL: plain; nothing without colours. */
void canvas_text(struct canvas *c, const char *text);
void canvas_format(struct canvas *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
void canvas_style(struct canvas *c, const char *sgr);

/* canvas_level adds one character for value on a scale from 0 to max. canvas_bar adds as many as width is wide for max. */
void canvas_level(struct canvas *c, double value, double max);
void canvas_bar(struct canvas *c, double value, double max, int width);

/* canvas_blocks: does the locale say that the terminal takes UTF-8? */
bool canvas_blocks(void);

#endif
