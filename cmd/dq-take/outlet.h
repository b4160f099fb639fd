/* outlet: deliveries on their way to standard output, as whole records, as many in one write as pipes keep together: other
 * writers to the same pipe cannot come between, and a reader never sees half of one for long. */
#ifndef DQ_OUTLET_H
#define DQ_OUTLET_H

#include <stddef.h>

#include "record.h"

#define OUTLET_TOGETHER 128 /* records in one write, at most */

/* Zero-initialise, set format; outlet_free at the end. */
struct outlet {
	enum record_format format;
	struct buf record;
	size_t ends[OUTLET_TOGETHER], gathered; /* where the records in it end */
};

/* outlet_write writes all deliveries of a take. Returns how many are out, whole; if not all, *e says why (record_add's errors and
 * out_write's). */
size_t outlet_write(struct outlet *o, const char *queue, const struct take *take, struct err *e);
void outlet_free(struct outlet *o);

#endif
