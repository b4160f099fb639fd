/* replace: replaces a file in one step: a reader sees all of the old contents,
 * or all of the new ones. */
#ifndef DQ_REPLACE_H
#define DQ_REPLACE_H

#include <limits.h>
#include <stddef.h>

#include "base/err.h"

struct replace {
	const char *file; /* borrowed */
	char temporary[PATH_MAX];
	int fd;           /* -1: none */
};

/* replace_begin makes FILE.XXXXXX beside the file, replace_write writes to it, and replace_end
 * makes it readable by all and renames it. After an error (DQ_IO) replace_give_up removes it. */
int replace_begin(struct replace *r, const char *file, struct err *e);
int replace_write(struct replace *r, const char *bytes, size_t len, struct err *e);
int replace_end(struct replace *r, struct err *e);
void replace_give_up(struct replace *r);

#endif
