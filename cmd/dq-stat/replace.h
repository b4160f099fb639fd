/* replace: a file gets new contents whole: whoever reads it has all of the old or all of the new ones. */
#ifndef DQ_REPLACE_H
#define DQ_REPLACE_H

#include <stddef.h>

#include "base/err.h"

/* replace_file writes FILE.XXXXXX beside the file, readable by all, and renames it. Nothing is left of it on an error (DQ_IO). */
int replace_file(const char *file, const char *bytes, size_t len, struct err *e);

#endif
