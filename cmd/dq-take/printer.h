/* printer: deliveries on their way to standard output, as whole records, as many in one write as pipes keep together: other
 * writers to the same pipe cannot come between, and a reader never sees half of one for long. */
#ifndef DQ_PRINTER_H
#define DQ_PRINTER_H

#include <stddef.h>

#include "record.h"

#define PRINTER_TOGETHER 128 /* records in one write, at most */

/* Zero-initialise, set format; printer_free at the end. */
struct printer {
	enum record_format format;
	struct buf record;
	size_t ends[PRINTER_TOGETHER], gathered; /* where the records in it end */
	size_t bytes;                           /* that the last printer_write wrote */
};

/* printer_write writes all deliveries of a take. Returns how many are out, whole; if not all, *e says why (record_add's errors and
 * out_write's). */
size_t printer_write(struct printer *o, const char *queue, const struct take *take, struct err *e);
void printer_free(struct printer *o);

#endif
