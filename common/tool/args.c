#include "tool/args.h"

#include <string.h>
#include <unistd.h>

#include "tool/die.h"

#define LINE_MAX_BYTES (40 << 20) /* a record of dq-take with the largest payload, all of it escaped */

static enum status each_line(const struct args *a, struct input *in)
{
	enum status worst = DQ_DONE, status = DQ_DONE;
	struct err e;

	while (status != DQ_STOPPED) {
		char *line, *tab;
		size_t len;

		if (a->before_wait && input_waits(in))
			worst = worse(worst, status = a->before_wait(a->ctx));
		if (status == DQ_STOPPED)
			break;
		switch (input_next(in, &line, &len, &e)) {
		case INPUT_END:
			return worst;
		case INPUT_ERROR:
			if (e.status != DQ_STOPPED)
				warn("standard input: %s", e.text);
			return worse(worst, e.status);
		case INPUT_TOO_LONG:
			warn("standard input: a line of over %d bytes: passed over", LINE_MAX_BYTES);
			worst = worse(worst, DQ_DATA);
			continue;
		case INPUT_RECORD:
			break;
		}
		tab = len ? memchr(line, '\t', len) : NULL;
		status = a->each(a->ctx, line, tab ? (size_t)(tab - line) : len, DQ_DATA);
		worst = worse(worst, status);
	}
	return worst;
}

static enum status each_stdin(const struct args *a)
{
	struct input in;
	enum status status;

	input_init(&in, STDIN_FILENO, a->stop_fd, '\n', LINE_MAX_BYTES);
	status = each_line(a, &in);
	input_free(&in);
	return status;
}

enum status args_each(const struct args *a, char **argv)
{
	enum status worst = DQ_DONE;

	if (!*argv && a->words && isatty(STDIN_FILENO))
		warn("standard input: reading %s from the terminal, one a line, until Ctrl-D", a->words);
	if (!*argv)
		return each_stdin(a);
	for (; *argv && worst != DQ_STOPPED; argv++) {
		if (!strcmp(*argv, "-"))
			worst = worse(worst, each_stdin(a));
		else /* a whole line that another tool printed will do, too */
			worst = worse(worst, a->each(a->ctx, *argv, strcspn(*argv, "\t"), DQ_USAGE));
	}
	return worst;
}
