#include "options.h"

#include <string.h>

#include "tool/die.h"
#include "tool/patience.h"

static const char usage[] =
	"usage: dq-gc [-q] [--dead-for DUR] [--empty-for DUR] [--check | --repair]\n"
	"             [--dry-run] [QUEUE...]\n"
	"Removes messages that have been dead for long, expired messages and expired\n"
	"reservations of ids, and queues that are empty and not in use: of all queues, or\n"
	"of the named ones. With --check or --repair it removes dead messages only with\n"
	"--dead-for, and queues only with --empty-for.\n"
	"      --dead-for DUR       how long dead messages are kept (30d); with a unit\n"
	"      --empty-for DUR      how long an empty queue is kept after its last put\n"
	"                           and take (1d); with a unit\n"
	"      --check              print a line for each fault found: NAME, TAB, fault;\n"
	"                           exit 1 if there is one\n"
	"      --repair             check, repair what is found, and check again: exit 1\n"
	"                           if a fault remains\n"
	"      --dry-run            change nothing, print the names of the messages;\n"
	"                           --repair is then --check\n"
	"  -q, --quiet              do not report queues that do not exist yet\n"
	PATIENCE_USAGE OPT_USAGE;

enum { OPT_DEAD_FOR = OPT_OWN, OPT_EMPTY_FOR, OPT_CHECK, OPT_REPAIR, OPT_DRY_RUN };

/* Elsewhere a bare number means seconds. Here users mean days, and seconds would purge nearly all
 * dead letters: with_unit refuses it. */
static int64_t with_unit(const char *option, const char *text)
{
	size_t digits = strspn(text, "0123456789.");
	int64_t keep = opt_duration(option, text);

	if (keep > 0 && !text[digits])
		die_usage("%s: \"%s\" has no unit: %sd (days) or %ss (seconds)?", option, text,
			  text, text);
	return keep;
}

char **options_read(struct options *o, int argc, char **argv)
{
	static const struct option options[] = {
		OPT_LONG,
		{"dead-for", required_argument, NULL, OPT_DEAD_FOR},
		{"empty-for", required_argument, NULL, OPT_EMPTY_FOR},
		{"check", no_argument, NULL, OPT_CHECK},
		{"repair", no_argument, NULL, OPT_REPAIR},
		{"dry-run", no_argument, NULL, OPT_DRY_RUN},
		{"quiet", no_argument, NULL, 'q'},
		PATIENCE_LONG,
		OPT_END};
	bool check = false, quiet = false;
	char **queues;
	int c;

	*o = (struct options){.keep = INT64_C(30) * 86400 * 1000, .idle = INT64_C(86400) * 1000};
	opt_start(&o->common, "dq-gc");
	patience_start(&o->common);
	while ((c = argv_next(argc, argv, OPT_SHORT "q", options)) != -1) {
		if (c == OPT_DEAD_FOR) {
			o->keep = with_unit("--dead-for", optarg);
			o->purge = true;
		} else if (c == OPT_EMPTY_FOR) {
			o->idle = with_unit("--empty-for", optarg);
			o->forget = true;
		} else if (c == OPT_CHECK) {
			check = true;
		} else if (c == OPT_REPAIR) {
			o->repair = true;
		} else if (c == OPT_DRY_RUN) {
			o->dry = true;
		} else if (c == 'q') {
			quiet = true;
		} else {
			opt_common(&o->common, c, usage);
		}
	}
	if (check && o->repair)
		die_usage("only one of --check and --repair");
	o->check = check || o->repair;
	o->purge = o->purge || !o->check;
	o->forget = o->forget || !o->check;
	o->repair = o->repair && !o->dry;
	queues = argv_operands(argc, argv).words;
	o->named = *queues != NULL;
	o->doubt = o->named && !quiet;
	opt_queues(queues);
	return queues;
}
