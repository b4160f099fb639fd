/* column: many numbers, most of them small, in little memory. Pure. */
#ifndef DQ_COLUMN_H
#define DQ_COLUMN_H

#include <stdint.h>

#include "base/buf.h"

/* column_add: -1: out of memory. */
int column_add(struct buf *column, int64_t number);

/* column_next returns the next number, which must exist, and advances *at. Start with *at at the
 * first byte of the column. */
int64_t column_next(const char **at);

#endif
