#include "table.h"

#include <string.h>

int table_cell(struct table *t, const char *text)
{
	size_t len = strlen(text);
	int *width = &t->width[t->count % (size_t)t->columns];

	if (buf_add(&t->cells, text, len + 1) < 0)
		return -1;
	if ((int)len > *width)
		*width = (int)len;
	t->count++;
	return 0;
}

int table_write(const struct table *t, struct buf *out)
{
	const char *cell = t->cells.bytes;
	int column = 0;

	for (size_t i = 0; i < t->count; i++) {
		const char *end = column == t->columns - 1 ? "\n" : "  ";
		if (buf_format(out, column ? "%*s%s" : "%-*s%s", t->width[column], cell, end) < 0)
			return -1;
		cell += strlen(cell) + 1;
		column = (column + 1) % t->columns;
	}
	return 0;
}

void table_free(struct table *t)
{
	buf_free(&t->cells);
}
