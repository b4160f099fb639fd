#include "options.h"

#include "tool/die.h"
#include "tool/patience.h"

static const char usage[] =
	"usage: dq-wait [-q] [-w DUR] [--any] [--json] [--allow-empty] [NAME...]\n"
	"       dq-wait [-q] [-w DUR] --empty [--all] QUEUE...\n"
	"Waits until each message has ended, and prints NAME TAB done, dead or removed\n"
	"TAB RESULT for each, as they end. NAME is QUEUE/ID, or a receipt; without NAME\n"
	"the first TAB-separated field of each line of standard input is one. Exit 0 if\n"
	"all are done, 1 if one is dead or was removed, 66 if one is not there and left\n"
	"no outcome (dq-put --keep), 124 if the time is over.\n"
	"  -w, --wait DUR           at most so long (for ever); 0: only ask\n"
	"      --any                only until one has ended\n"
	"      --empty              wait until nothing in these queues is ready, due or\n"
	"                           leased\n"
	"      --all                with --empty: nor delayed, unless it is held\n"
	"      --json               one JSON object per line\n"
	"      --allow-empty        no name at all is no mistake\n"
	"  -q, --quiet              print nothing, and do not report what is not there\n"
	PATIENCE_USAGE OPT_USAGE;

enum { OPT_ANY = OPT_OWN, OPT_EMPTY, OPT_ALL, OPT_JSON, OPT_ALLOW_EMPTY };

static void parse_option(struct options *o, int c)
{
	switch (c) {
	case 'w':
		o->wait = opt_duration("-w", optarg);
		break;
	case 'q':
		o->quiet = true;
		break;
	case OPT_ANY:
		o->any = true;
		break;
	case OPT_EMPTY:
		o->empty = true;
		break;
	case OPT_ALL:
		o->all = true;
		break;
	case OPT_JSON:
		o->json = true;
		break;
	case OPT_ALLOW_EMPTY:
		o->allow_empty = true;
		break;
	default:
		opt_common(&o->common, c, usage);
	}
}

void options_read(struct options *o, int argc, char **argv)
{
	static const struct option options[] = {OPT_LONG,
						{"wait", required_argument, NULL, 'w'},
						{"any", no_argument, NULL, OPT_ANY},
						{"empty", no_argument, NULL, OPT_EMPTY},
						{"all", no_argument, NULL, OPT_ALL},
						{"json", no_argument, NULL, OPT_JSON},
						{"allow-empty", no_argument, NULL, OPT_ALLOW_EMPTY},
						{"quiet", no_argument, NULL, 'q'},
						PATIENCE_LONG,
						OPT_END};
	struct operands operands;
	int c;

	*o = (struct options){.wait = -1};
	opt_start(&o->common, "dq-wait");
	patience_start(&o->common);
	while ((c = argv_next(argc, argv, OPT_SHORT "w:q", options)) != -1)
		parse_option(o, c);
	operands = argv_operands(argc, argv);
	o->words = operands.words;
	if (o->all && !o->empty)
		die_usage("--all: only with --empty");
	if (o->empty && (o->any || o->json || o->allow_empty))
		die_usage("--empty: not with --any, --json or --allow-empty");
	if (!o->empty)
		return;
	if (!operands.count)
		die_usage("--empty: no queue given");
	opt_queues(o->words);
}
