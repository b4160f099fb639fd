/* printer: writes deliveries to standard output as whole records. One write has as many as a pipe
 * takes atomically: no other writer to the same pipe comes between, and a reader rarely sees part
 * of a record. */
#ifndef DQ_PRINTER_H
#define DQ_PRINTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format.h"

#define PRINTER_TOGETHER 128 /* records in one write at most */

/* Zero-initialise it and set format and stalled; printer_free at the end. */
struct printer {
	enum format format;
	struct buf records;
	size_t ends[PRINTER_TOGETHER], gathered; /* ends of those in records */
	size_t bytes;                           /* written by the last printer_write */
	int64_t began, until;                   /* clock_ms, of the last printer_write;
	                                         * the first end of a lease of those in records */
	void (*stalled)(void *ctx);             /* a write waits, WINDOW_STALL_US after the first of
	                                         * the take; may be NULL */
	void *ctx;
	bool late, torn;                        /* there was no room before leases ended;
	                                         * the last record is written in part */
};

/* printer_write writes all deliveries of a take. Returns how many records were written in
 * full; if not all, *e has the error of format_add or out_write_by. It does not wait for room
 * until a lease ends: then o->late is true. A lease that has ended already counts only if it
 * would have to wait. */
size_t printer_write(struct printer *o, const char *queue, const struct take *take, struct err *e);
void printer_free(struct printer *o);

#endif
