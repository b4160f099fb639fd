#include "printer.h"

#include <limits.h>

#include "tool/out.h"

/* emit writes the first len bytes, and counts the records that are written in full. */
static int emit(struct printer *o, size_t len, size_t *written, struct err *e)
{
	size_t done = 0, n = 0;
	int status = out_write_some(o->records.bytes, len, &done, e);

	while (n < o->gathered && o->ends[n] <= done)
		n++;
	*written += n;
	o->bytes += done;
	buf_drop(&o->records, len);
	o->gathered = 0;
	return status;
}

size_t printer_write(struct printer *o, const char *queue, const struct take *take, struct err *e)
{
	size_t written = 0;
	struct err late;
	int status = 0;

	o->records.len = o->gathered = o->bytes = 0;
	for (size_t i = 0; i < take->count && status == 0; i++) {
		size_t before = o->records.len;
		status = format_add(&o->records, o->format, queue, take, i, e);
		if (status < 0)
			o->records.len = before;
		else if (before && (o->records.len > PIPE_BUF || o->gathered == PRINTER_TOGETHER))
			status = emit(o, before, &written, e);
		if (status == 0)
			o->ends[o->gathered++] = o->records.len;
	}
	if (o->gathered && emit(o, o->records.len, &written, &late) < 0)
		*e = late;
	return written;
}

void printer_free(struct printer *o)
{
	buf_free(&o->records);
}
