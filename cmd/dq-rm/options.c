#include "options.h"

#include <string.h>

#include "base/name.h"
#include "base/text.h"
#include "message/listing.h"
#include "tool/ask_user.h"
#include "tool/die.h"
#include "tool/patience.h"

static const char usage[] =
	"usage: dq-rm [-q] [--state STATE[,...]] [--dry-run] [NAME...]\n"
	"       dq-rm -a [-fq] [--state STATE[,...]] [--dry-run] QUEUE...\n"
	"       dq-rm -k KEY [-q] [--state STATE[,...]] [--dry-run] QUEUE...\n"
	"Removes messages in any state; their receipts are no longer valid. NAME is\n"
	"QUEUE/ID, or a receipt; without NAME the first TAB-separated field of each line\n"
	"of standard input is one. Exit 1 if a message does not exist.\n"
	"  -a, --all                all messages of each QUEUE, and its name; asks before\n"
	"  -k, --message-key KEY    all messages of each QUEUE that have this key\n"
	"      --state STATE[,...]  only in one of these: delayed, due, ready, leased,\n"
	"                           dead; delayed,due,ready: no consumer has it\n"
	"      --dry-run            change nothing, print the names of the messages\n"
	"  -f, --force              do not ask\n"
	"  -q, --quiet              do not report messages that were not removed, queues\n"
	"                           that do not exist yet, or reading from a terminal\n"
	PATIENCE_USAGE OPT_USAGE;

enum { OPT_STATE = OPT_OWN, OPT_DRY_RUN };

static void parse_option(struct options *o, int c)
{
	char shown[80];
	struct err e;

	switch (c) {
	case 'a':
		o->all = true;
		break;
	case 'k':
		if (name_key_check(optarg, strlen(optarg), &e) < 0)
			die_usage("-k: %s", e.text);
		o->key = optarg;
		break;
	case 'f':
		o->force = true;
		break;
	case 'q':
		o->quiet = true;
		break;
	case OPT_DRY_RUN:
		o->dry = true;
		break;
	case OPT_STATE:
		o->states = listing_states_valid(optarg);
		if (!o->states)
			die_usage("--state: \"%s\": not one or more of delayed, due, ready, "
				  "leased, dead, with commas between",
				  text_shown(shown, sizeof shown, optarg, strlen(optarg)));
		o->state = optarg;
		listing_words(optarg, o->state_words);
		break;
	default:
		opt_common(&o->common, c, usage);
	}
}

void options_read(struct options *o, int argc, char **argv)
{
	static const struct option options[] = {OPT_LONG,
						{"all", no_argument, NULL, 'a'},
						{"message-key", required_argument, NULL, 'k'},
						{"state", required_argument, NULL, OPT_STATE},
						{"dry-run", no_argument, NULL, OPT_DRY_RUN},
						{"force", no_argument, NULL, 'f'},
						{"quiet", no_argument, NULL, 'q'},
						PATIENCE_LONG,
						OPT_END};
	struct operands operands;
	int c;

	*o = (struct options){.state = ""};
	opt_start(&o->common, "dq-rm");
	patience_start(&o->common);
	while ((c = argv_next(argc, argv, OPT_SHORT "ak:fq", options)) != -1)
		parse_option(o, c);
	operands = argv_operands(argc, argv);
	o->words = operands.words;
	if (o->all && o->key)
		die_usage("only one of -a and -k");
	if (!o->all && !o->key)
		return;
	if (!operands.count)
		die_usage("%s: no queue given", o->all ? "-a" : "-k");
	opt_queues(o->words);
	if (o->all && !o->force && !o->dry && !ask_user_possible())
		die_usage("-a: cannot ask, standard input is not a terminal: use -f");
}
