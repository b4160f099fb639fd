/* column: many numbers, most of them small, in little memory. Pure. */
#ifndef DQ_COLUMN_H
#define DQ_COLUMN_H

#include <stdint.h>

#include "base/buf.h"

/* column_add: -1: memory is out. column_next returns the next number, and moves *at, which begins at the column's first byte; there must be
 * one. */
int column_add(struct buf *column, int64_t number);
int64_t column_next(const char **at);

#endif
