#include "options.h"

#include <string.h>

#include "base/holder.h"
#include "base/name.h"
#include "base/text.h"
#include "tool/ask_user.h"
#include "tool/die.h"
#include "tool/patience.h"

static const char usage[] =
	"usage: dq-promote [-q] [-n N] [--dry-run] [QUEUE|NAME...]\n"
	"       dq-promote -f [-q] [-n N] [--for DUR] [QUEUE...]\n"
	"       dq-promote --dead [-q] [-n N] [--rate N] [--dry-run] [QUEUE|NAME...]\n"
	"       dq-promote --release [-q] [-n N] [--dry-run] [NAME...]\n"
	"       dq-promote --release --holder HOLDER [-q] [-n N] [--dry-run]\n"
	"               [QUEUE|NAME...]\n"
	"Promotes all queues, or the named ones: due messages become ready, messages with\n"
	"an expired lease become ready again (or dead, out of tries), expired messages\n"
	"are removed. NAME, QUEUE/ID, is made ready now, even before its due time.\n"
	"Silent if all is well.\n"
	"  -f, --follow             continue for ever; sleeps until the next message is\n"
	"                           due\n"
	"      --for DUR            with -f: end after DUR\n"
	"      --dead               redrive dead messages, with all their tries: named\n"
	"                           ones, or all of a QUEUE; without operands, the first\n"
	"                           TAB-separated field of each line of standard input\n"
	"                           is one of these\n"
	"      --release            end leases, because the consumer is gone: ready\n"
	"                           now, or dead, out of tries; their receipts are no\n"
	"                           longer valid; without operands as --dead\n"
	"      --holder HOLDER      with --release: only the leases of HOST:PID, HOST or\n"
	"                           that DQ_WORKER; a QUEUE means all of them in it\n"
	"  -n, --count N            at most N messages in all\n"
	"      --rate N             with --dead: at most N a second\n"
	"      --dry-run            change nothing, print the names of messages that are\n"
	"                           due, dead, or leased\n"
	"  -q, --quiet              do not report messages that were not moved, queues\n"
	"                           that do not exist yet, or a lost connection that\n"
	"                           returned\n" PATIENCE_USAGE OPT_USAGE;

enum { OPT_FOR = OPT_OWN, OPT_DEAD, OPT_RELEASE, OPT_HOLDER, OPT_RATE, OPT_DRY_RUN };

int options_forms(const struct options *o)
{
	return o->release && !o->holder ? NAME_MESSAGE : NAME_QUEUE | NAME_MESSAGE;
}

static void parse_option(struct options *o, int c)
{
	if (c == 'f')
		o->follow = true;
	else if (c == 'n')
		o->limit = opt_number("-n", optarg, 1, INT64_MAX);
	else if (c == 'q')
		o->quiet = o->common.hushed = true;
	else if (c == OPT_FOR)
		o->lasts = opt_duration("--for", optarg);
	else if (c == OPT_DEAD)
		o->dead = true;
	else if (c == OPT_RELEASE)
		o->release = true;
	else if (c == OPT_HOLDER)
		o->holder = optarg;
	else if (c == OPT_RATE)
		o->rate = opt_number("--rate", optarg, 1, 1000000);
	else if (c == OPT_DRY_RUN)
		o->dry = true;
	else
		opt_common(&o->common, c, usage);
}

static void check(const struct options *o)
{
	char shown[80];
	struct name name;
	struct err e;

	if (o->dead && o->release)
		die_usage("only one of --dead and --release");
	if (o->follow && (o->dead || o->release || o->dry))
		die_usage("-f: not with --dead, --release or --dry-run");
	if (o->lasts >= 0 && !o->follow)
		die_usage("--for: only with -f");
	if (o->holder && !o->release)
		die_usage("--holder: only with --release");
	if (o->holder && !holder_valid(o->holder))
		die_usage("--holder: not 1 to %d printable characters without blanks", HOLDER_MAX);
	if (o->rate && !o->dead)
		die_usage("--rate: only with --dead");
	if (o->dead && !*o->names && ask_user_possible())
		die_usage("--dead: no QUEUE or NAME given");
	if (o->release && !*o->names && ask_user_possible())
		die_usage("--release: no %sNAME given", o->holder ? "QUEUE or " : "");
	for (char **word = o->names; *word; word++) {
		if (o->follow && (strchr(*word, '/') || !strcmp(*word, "-")))
			die_usage("-f: \"%s\": takes queues only",
				  text_shown(shown, sizeof shown, *word, strlen(*word)));
		if (strcmp(*word, "-") != 0 &&
		    name_parse(*word, strlen(*word), options_forms(o), &name, &e) < 0)
			die_usage("%s", e.text);
	}
	if (o->follow)
		opt_queues(o->names);
}

void options_read(struct options *o, int argc, char **argv)
{
	static const struct option options[] = {OPT_LONG,
						{"follow", no_argument, NULL, 'f'},
						{"for", required_argument, NULL, OPT_FOR},
						{"dead", no_argument, NULL, OPT_DEAD},
						{"count", required_argument, NULL, 'n'},
						{"release", no_argument, NULL, OPT_RELEASE},
						{"holder", required_argument, NULL, OPT_HOLDER},
						{"rate", required_argument, NULL, OPT_RATE},
						{"dry-run", no_argument, NULL, OPT_DRY_RUN},
						{"quiet", no_argument, NULL, 'q'},
						PATIENCE_LONG,
						OPT_END};
	int c;

	*o = (struct options){.limit = -1, .lasts = -1};
	opt_start(&o->common, "dq-promote");
	patience_start(&o->common);
	while ((c = argv_next(argc, argv, OPT_SHORT "fn:q", options)) != -1)
		parse_option(o, c);
	o->names = argv_operands(argc, argv).words;
	check(o);
}
