/* ticker: a line for each look, with the sums over all queues, as vmstat(8) has it. Pure. */
#ifndef DQ_TICKER_H
#define DQ_TICKER_H

#include "view.h"

/* Zero-initialise to start. */
struct ticker {
	size_t lines;
};

/* ticker_line adds the next line, and before the first one the names of its columns. 0, or -1: memory is out. */
int ticker_line(struct ticker *t, const struct view *v, struct buf *out);

#endif
