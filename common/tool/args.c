#include "tool/args.h"

#include <string.h>
#include <unistd.h>

#include "tool/die.h"

/* a record of dq-take with the largest payload, every byte escaped */
#define LINE_MAX_BYTES (40 << 20)

/* each_line returns -1 if the tool cannot continue. A last line without newline may be cut, and
 * what is left of a name may be the name of another message: q/1 of q/10. */
static int each_line(const struct args *a, struct input *in, enum status *worst)
{
	struct err e;
	char *line, *tab;
	size_t len;

	for (;;) {
		if (a->before_wait && input_idle(in, a->before_wait, a->ctx) < 0)
			return -1;
		switch (input_next(in, &line, &len, &e)) {
		case INPUT_END:
			return 0;
		case INPUT_ERROR:
			if (e.status != DQ_STOPPED)
				warn("standard input: %s", e.text);
			*worst = worse(*worst, e.status);
			return e.status == DQ_STOPPED ? -1 : 0;
		case INPUT_TOO_LONG:
			warn("standard input: a line of over %d bytes: skipped", LINE_MAX_BYTES);
			*worst = worse(*worst, DQ_DATA);
			continue;
		case INPUT_RECORD:
			break;
		}
		if (in->finished) {
			warn("standard input: the last line has no newline, so it may be "
			     "cut: skipped");
			*worst = worse(*worst, DQ_DATA);
			continue;
		}
		tab = len ? memchr(line, '\t', len) : NULL;
		len -= !tab && len && line[len - 1] == '\r'; /* the end of the line is CR LF */
		if (a->each(a->ctx, line, tab ? (size_t)(tab - line) : len, DQ_DATA) < 0)
			return -1;
	}
}

static int each_stdin(const struct args *a, enum status *worst)
{
	struct input in;
	int status;

	input_init(&in, STDIN_FILENO, a->stop_fd, '\n', LINE_MAX_BYTES);
	status = each_line(a, &in, worst);
	input_free(&in);
	return status;
}

enum status args_each(const struct args *a, char **argv)
{
	enum status worst = DQ_DONE;
	int status = 0;

	if (!*argv && a->words && isatty(STDIN_FILENO))
		warn("standard input: reading %s from the terminal, one per line, until Ctrl-D",
		     a->words);
	if (!*argv)
		each_stdin(a, &worst);
	for (; *argv && status == 0; argv++) {
		if (!strcmp(*argv, "-"))
			status = each_stdin(a, &worst);
		else /* a whole line of another tool's output is accepted, too */
			status = a->each(a->ctx, *argv, strcspn(*argv, "\t"), DQ_USAGE);
	}
	return worst;
}
