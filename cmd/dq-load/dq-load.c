/* dq-load: loads the output of dq-dump. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "loader.h"
#include "options.h"
#include "redis/nodes.h"
#include "tool/die.h"
#include "tool/durably.h"
#include "tool/input.h"
#include "tool/progress.h"
#include "tool/stop.h"

/* JSON needs up to six bytes for each byte of a payload.
 * The rest has room for the other members. */
#define LINE_MAX_BYTES ((size_t)QUEUE_PAYLOAD_HARD_MAX * 6 + (32 << 20))

struct load {
	struct options options;
	struct exchange x;
	struct loader loader;
	struct dump_line line;
	const char *file;    /* now being read; NULL = standard input */
	size_t lines, bytes; /* of this input */
	bool blank;          /* so far */
	bool cut;            /* not read to its end */
	struct progress progress;
};

/* bad_line reports a bad line; the other lines are loaded. */
static void bad_line(struct load *l, const struct err *e)
{
	if (l->file)
		warn("%s: line %zu: %s", l->file, l->lines, e->text);
	else
		warn("line %zu: %s", l->lines, e->text);
	loader_failed(&l->loader, e);
}

static bool is_blank(const char *line, size_t len)
{
	while (len > 0 && (line[len - 1] == ' ' || line[len - 1] == '\t' || line[len - 1] == '\r'))
		len--;
	return len == 0;
}

static int take_line(struct load *l, char *line, size_t len)
{
	struct err e;

	if (is_blank(line, len))
		return 0;
	l->blank = false;
	if (dump_line_read(&l->line, line, len, &e) < 0)
		loader_unread(&l->loader, &l->line);
	else if (loader_take(&l->loader, &l->line, &e) == 0)
		return 0;
	if (e.status == DQ_REPORTED)
		return -1;
	bad_line(l, &e);
	return 0;
}

/* next_line returns 1 to continue, 0 at the end, -1 if the tool cannot continue. Unlike dq-put it
 * does not send a part of a batch before it waits for input: dq-dump writes line after line, and
 * the calls would be small. */
static int next_line(struct load *l, struct input *in)
{
	char *line;
	size_t len;
	struct err e;

	switch (input_next(in, &line, &len, &e)) {
	case INPUT_END:
		return 0;
	case INPUT_ERROR:
		if (e.status != DQ_STOPPED)
			warn("%s: %s", l->file ? l->file : "standard input", e.text);
		loader_failed(&l->loader, &e);
		return -1;
	case INPUT_TOO_LONG:
		l->lines++;
		l->blank = false;
		err_fill(&e, DQ_DATA, "longer than any message");
		bad_line(l, &e);
		return 1;
	case INPUT_RECORD:
		break;
	}
	l->lines++;
	l->bytes += len + 1;
	if (l->lines % 256 == 0)
		progress_tick(&l->progress,
			      (int64_t)(l->loader.sender.answers.loaded +
					l->loader.sender.answers.there),
			      (int64_t)l->bytes);
	return take_line(l, line, len) < 0 ? -1 : 1;
}

/* load_input loads line after line, until the server refuses a batch for a reason that concerns the
 * next one, too. */
static void load_input(struct load *l, int fd)
{
	struct input in;
	int more = 1;

	l->lines = l->bytes = 0;
	l->blank = true;
	input_init(&in, fd, stop_fd(), '\n', LINE_MAX_BYTES);
	progress_start(&l->progress, "loaded", fd);
	while (more > 0 && l->loader.sender.answers.status < DQ_UNAVAILABLE)
		more = next_line(l, &in);
	if (sender_settle(&l->loader.sender) == 0 && more == 0)
		loader_close(&l->loader, l->file ? l->file : "standard input", l->blank);
	progress_end(&l->progress);
	l->cut = more != 0;
	input_free(&in);
}

static void load_file(struct load *l, const char *name)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC);
	struct err e;

	if (fd < 0) {
		warn("%s: %s", name, strerror(errno));
		err_fill(&e, DQ_IO, "no such file");
		loader_failed(&l->loader, &e);
		return;
	}
	l->file = name;
	load_input(l, fd);
	l->file = NULL;
	close(fd);
}

static void load_all(struct load *l)
{
	char **files = l->options.files;

	if (!*files)
		load_input(l, STDIN_FILENO);
	for (; *files && l->loader.sender.answers.status < DQ_UNAVAILABLE; files++) {
		if (!strcmp(*files, "-") && files < l->options.literal)
			load_input(l, STDIN_FILENO);
		else
			load_file(l, *files);
	}
}

/* account reports how the load ended, unless all went well. It reports nothing if the reader of
 * standard output has closed it. */
static void account(const struct load *l)
{
	const struct loader *r = &l->loader;
	const struct answers *a = &r->sender.answers;

	if (!r->sender.reported && stop_signal() != SIGPIPE &&
	    (l->cut || r->sender.unnamed || l->options.common.verbose))
		warn("%s%zu there already, %zu replaced, %zu kept, %zu loaded, %zu "
		     "refused, %zu unknown",
		     l->cut            ? "the rest was not read: " :
		     r->sender.unnamed ? "not all names were printed: " :
					 "",
		     a->there, a->replaced, a->kept, a->loaded, a->refused,
		     a->unknown + r->sender.pipeline.unanswered);
	if (l->cut && stop_signal() != SIGPIPE && loader_paused(r))
		warn("%s: stays paused until all of it is loaded: load the dump again",
		     loader_paused(r));
	if (r->over > 0 && a->status == DQ_DONE && !l->options.sender.quiet &&
	    !l->options.common.verbose)
		warn("%zu queue%s loaded whole from this dump before: nothing to do; to load it "
		     "again: dq-rm -a QUEUE",
		     r->over, r->over == 1 ? " was" : "s were");
	if (r->paused > 0 && !l->options.sender.quiet)
		warn("%zu queue%s paused, as when dumped: dq-set QUEUE paused=no", r->paused,
		     r->paused == 1 ? " is" : "s are");
}

int main(int argc, char **argv)
{
	struct load l = {.x = {.first = NULL}};
	const struct options *options = &l.options;
	struct err e;

	options_read(&l.options, argc, argv);
	opt_caught(stop_catch());
	/* --dry-run connects to no server */
	exchange_init(&l.x, &(struct conn_conf){.client_name = ""});
	if (!options->sender.dry)
		durably_connect(&options->common, &l.x, stop_fd());
	if (loader_start(&l.loader, &options->sender, &l.x, options->common.prefix, &e) < 0)
		die(e.status, "%s", e.text);
	load_all(&l);
	account(&l);
	loader_free(&l.loader);
	dump_line_free(&l.line);
	exchange_close(&l.x);
	finish(l.loader.sender.answers.status);
}
