#include "printer.h"

#include <limits.h>

#include "base/clock.h"
#include "tool/out.h"
#include "window.h"

#define WAITED_MS 50 /* writing without waiting takes less */

/* write_out writes the first len bytes by o->until. It calls o->stalled if it has to wait, and the
 * take has been written for long. */
static int write_out(struct printer *o, size_t len, size_t *done, struct err *e)
{
	int64_t until = o->until * 1000, stall = o->began * 1000 + WINDOW_STALL_US;
	size_t first = 0;

	if (o->stalled && stall < until) {
		int status = out_write_by(stall, o->records.bytes, len, &first, e);
		*done = first;
		if (status == 0 || e->status != DQ_TEMPORARY)
			return status;
		o->stalled(o->ctx);
	}
	if (out_write_by(until, o->records.bytes + first, len - first, done, e) < 0) {
		*done += first;
		return -1;
	}
	*done += first;
	return 0;
}

/* emit writes the first len bytes, and counts the records that are written in full. */
static int emit(struct printer *o, size_t len, size_t *written, struct err *e)
{
	size_t done = 0, n = 0, whole = 0;
	int64_t now = clock_ms();
	int status;

	/* earlier records waited for room */
	if (o->until > o->began && now >= o->until && now >= o->began + WAITED_MS)
		status = err_set(e, DQ_TEMPORARY, "no room");
	else
		status = write_out(o, len, &done, e);
	for (; n < o->gathered && o->ends[n] <= done; n++)
		whole = o->ends[n];
	o->late = status < 0 && e->status == DQ_TEMPORARY;
	if (o->late)
		err_set(e, DQ_TEMPORARY, "the output had no room before its lease ended");
	o->torn = done > whole;
	*written += n;
	o->bytes += done;
	buf_drop(&o->records, len);
	o->gathered = 0;
	o->until = INT64_MAX / 1000;
	return status;
}

size_t printer_write(struct printer *o, const char *queue, const struct take *take, struct err *e)
{
	size_t written = 0;
	struct err late;
	int status = 0;

	o->records.len = o->gathered = o->bytes = 0;
	o->late = o->torn = false;
	o->began = clock_ms();
	o->until = INT64_MAX / 1000;
	for (size_t i = 0; i < take->count && status == 0; i++) {
		size_t before = o->records.len;
		status = format_add(&o->records, o->format, queue, take, i, e);
		if (status < 0)
			o->records.len = before;
		else if (before && (o->records.len > PIPE_BUF || o->gathered == PRINTER_TOGETHER))
			status = emit(o, before, &written, e);
		if (status < 0)
			break;
		o->ends[o->gathered++] = o->records.len;
		o->until = clock_sooner(o->until, take_until(take, i));
	}
	if (o->gathered && emit(o, o->records.len, &written, &late) < 0)
		*e = late;
	return written;
}

void printer_free(struct printer *o)
{
	buf_free(&o->records);
}
