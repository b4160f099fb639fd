/* ticker: a line for each poll, with the sums over all queues, in the manner of vmstat(8). Pure. */
#ifndef DQ_TICKER_H
#define DQ_TICKER_H

#include "view.h"

/* Zero-initialise to start. */
struct ticker {
	size_t lines;
};

/* ticker_line adds the next line; before the first one it adds the column titles. Returns 0, or -1
 * if out of memory. */
int ticker_line(struct ticker *t, const struct view *v, struct buf *out);

#endif
