/* table: text in columns, each as wide as its widest cell.
 * The first column is flush left, the others right. Pure. */
#ifndef DQ_TABLE_H
#define DQ_TABLE_H

#include <stddef.h>

#include "base/buf.h"

#define TABLE_COLUMNS_MAX 16

/* Zero-initialise and set columns to start; table_free to end. */
struct table {
	int columns; /* 1..TABLE_COLUMNS_MAX */
	int width[TABLE_COLUMNS_MAX];
	size_t count;     /* of cells */
	struct buf cells; /* each ends in NUL */
};

/* table_cell adds the next cell, row by row. table_write appends the table to out, one line per
 * row. 0; -1: out of memory. */
int table_cell(struct table *t, const char *text);
int table_write(const struct table *t, struct buf *out);
void table_free(struct table *t);

#endif
