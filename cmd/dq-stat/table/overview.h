/* overview: the table for a terminal: queues in trouble first, idle queues in one line, no wider
 * than the terminal. Pure. */
#ifndef DQ_OVERVIEW_H
#define DQ_OVERVIEW_H

#include "base/buf.h"
#include "rows.h"

struct table_style {
	int width;   /* columns of the terminal */
	bool colour;
	bool header;
	bool idle;   /* show idle queues as rows, too */
};

/* overview_write sorts the rows, and adds the table. Returns 0, or -1 if out of memory. */
int overview_write(struct buf *out, struct rows *rows, const struct table_style *style);

/* overview_idle adds "N idle: A, B, ..." for the rows from the first idle one on, in one line of at
 * most that width. hint says how to see all. */
int overview_idle(struct buf *out, const struct rows *rows, size_t first, int width,
		  const char *hint);

/* overview_width: how wide the first so many names must be so that all look different, at most the
 * longest. */
int overview_width(const struct rows *rows, size_t count, int longest);

/* overview_name writes a name in at most width characters; "~" replaces the rest of its middle. */
void overview_name(const char *name, int width, char out[ROW_NAME]);

/* overview_hint writes what to do about due messages that no tool promotes;
 * "" if there are none. */
void overview_hint(const struct rows *rows, char *out, size_t cap);

#endif
