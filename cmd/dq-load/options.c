#include "options.h"

#include <string.h>
#include <unistd.h>

#include "tool/die.h"
#include "tool/durably.h"
#include "tool/patience.h"

static const char usage[] =
	"usage: dq-load [-q] [-e fail|keep|replace] [--dry-run] [FILE...]\n"
	"Loads dumps of dq-dump, from each FILE or from standard input; prints QUEUE/ID\n"
	"of each message that it loads, or that was loaded before. Each queue is paused\n"
	"until all of it is loaded, and stays paused if it was paused when dumped.\n"
	"To load the same dump again is safe: it creates no message twice.\n"
	"  -e, --if-exists MODE     if another message has the id or the id is reserved:\n"
	"                           fail (exit 1), keep, replace (fail)\n"
	"      --dry-run            check the lines, load nothing; needs no server\n"
	"  -q, --quiet              print no names, and do not report queues that stay\n"
	"                           paused or were loaded whole before\n"
	PATIENCE_USAGE DURABLY_USAGE OPT_USAGE;

enum { OPT_DRY_RUN = OPT_OWN };

static void parse_mode(struct options *o, const char *text)
{
	static const char *const modes[] = {"fail", "keep", "replace"};

	for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
		if (!strcmp(text, modes[i])) {
			o->sender.mode = modes[i];
			return;
		}
	die_usage("-e: one of fail, keep, replace");
}

static void parse_option(struct options *o, int c)
{
	switch (c) {
	case 'e':
		parse_mode(o, optarg);
		break;
	case 'q':
		o->sender.quiet = true;
		break;
	case OPT_DRY_RUN:
		o->sender.dry = true;
		break;
	default:
		durably_option(&o->common, c, usage);
	}
}

void options_read(struct options *o, int argc, char **argv)
{
	static const struct option options[] = {OPT_LONG,
						{"if-exists", required_argument, NULL, 'e'},
						{"dry-run", no_argument, NULL, OPT_DRY_RUN},
						{"quiet", no_argument, NULL, 'q'},
						PATIENCE_LONG,
						DURABLY_LONG,
						OPT_END};
	struct operands operands;
	int c;

	*o = (struct options){.sender = {.mode = "fail"}};
	durably_start(&o->common, "dq-load");
	patience_start(&o->common);
	while ((c = argv_next(argc, argv, OPT_SHORT "e:q", options)) != -1)
		parse_option(o, c);
	operands = argv_operands(argc, argv);
	o->files = operands.words;
	o->literal = operands.words + operands.literal;
	o->sender.verbose = o->common.verbose;
	if (!operands.count && isatty(STDIN_FILENO))
		die_usage("no file given, and standard input is a terminal");
}
