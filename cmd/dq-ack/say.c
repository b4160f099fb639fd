#include "say.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "tool/stop.h"

static int write_line(const struct buf *line, struct err *e)
{
	ssize_t n;

	do /* as a whole or not at all: a pipe does not divide so little */
		n = write(SAID_FD, line->bytes, line->len);
	while (n < 0 && errno == EINTR && !stop_signal());
	if (n >= 0)
		return 0;
	return errno == EPIPE ? err_set(e, DQ_NO, "its command has ended") :
				err_set(e, DQ_IO, "descriptor %d: %s", SAID_FD, strerror(errno));
}

int say_line(enum settle_verb verb, const char *amount, const char *reason, struct err *e)
{
	struct buf line = {0};
	struct said said;
	int status;

	if (said_format(&line, verb, amount, reason) < 0) {
		status = err_memory(e);
	} else if (said_parse(line.bytes, line.len - 1, &said, e) < 0) {
		e->status = DQ_USAGE;
		status = -1;
	} else {
		status = write_line(&line, e);
	}
	buf_free(&line);
	return status;
}
