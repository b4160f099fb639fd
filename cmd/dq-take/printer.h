/* printer: writes deliveries to standard output as whole records. One write has as many as a pipe takes atomically: no other writer to the
 * same pipe comes between, and a reader rarely sees part of a record. */
#ifndef DQ_PRINTER_H
#define DQ_PRINTER_H

#include <stddef.h>

#include "format.h"

#define PRINTER_TOGETHER 128 /* records in one write at most */

/* Zero-initialise it and set format; printer_free at the end. */
struct printer {
	enum format format;
	struct buf records;
	size_t ends[PRINTER_TOGETHER], gathered; /* ends of those in records */
	size_t bytes;                           /* written by the last printer_write */
};

/* printer_write writes all deliveries of a take. Returns how many records were written in full; if not all, *e has the error of format_add
 * or out_write. */
size_t printer_write(struct printer *o, const char *queue, const struct take *take, struct err *e);
void printer_free(struct printer *o);

#endif
