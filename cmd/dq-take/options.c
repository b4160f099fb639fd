#include "options.h"

#include <limits.h>
#include <unistd.h>

#include "tool/die.h"
#include "tool/durably.h"
#include "tool/holding.h"
#include "tool/patience.h"

static const char usage[] =
	"usage: dq-take [-q] [-n N [--linger DUR]] [-w DUR | -f | --until-empty]\n"
	"               [-t DUR] [-0 | --json] [--ack] QUEUE...\n"
	"Leases due messages and prints them, RECEIPT TAB PAYLOAD (escaped as by\n"
	"jq's @tsv). A message that is not settled before its lease expires is\n"
	"redelivered. Exit 1 if nothing is due.\n"
	"  -n, --count N            at most N messages (1); with -f and --until-empty,\n"
	"                           N in one round\n"
	"      --linger DUR         once one is due, wait until N are due, or DUR has\n"
	"                           passed; then take (0)\n"
	"  -w, --wait DUR           wait up to DUR for the first one (0)\n"
	"  -f, --follow             continue for ever\n"
	"      --until-empty        continue until nothing is due (-n: 125)\n"
	"  -t, --ttr DUR            length of these leases (each message's own)\n"
	"  -0, --null               RECEIPT NUL PAYLOAD NUL\n"
	"      --json               one JSON object per line; payload_base64 if the\n"
	"                           payload is not UTF-8\n"
	"      --ack                ack each message as soon as it is written, without\n"
	"                           dq-ack: a message that the reader loses is lost\n"
	"      --no-promote         do not promote: leave this to dq-promote\n"
	"  -q, --quiet              do not report queues that are paused, limited, or\n"
	"                           do not exist yet\n" PATIENCE_USAGE DURABLY_USAGE OPT_USAGE;

enum { OPT_JSON = OPT_OWN, OPT_NO_PROMOTE, OPT_ACK, OPT_UNTIL_EMPTY, OPT_LINGER };

static void parse_option(struct options *o, int c)
{
	switch (c) {
	case 'n':
		o->conf.count = (int)opt_number("-n", optarg, 1, INT_MAX);
		break;
	case 'w':
		o->wait = opt_duration("-w", optarg);
		break;
	case OPT_LINGER:
		o->linger = opt_duration("--linger", optarg);
		break;
	case 'f':
		o->follow = true;
		break;
	case OPT_UNTIL_EMPTY:
		o->until_empty = true;
		break;
	case 't':
		o->conf.ttr = opt_duration("-t", optarg);
		if (o->conf.ttr < 1)
			die_usage("-t: a lease is at least 1ms");
		break;
	case '0':
	case OPT_JSON:
		if (o->format != FORMAT_TSV && o->format != (c == '0' ? FORMAT_NUL : FORMAT_JSON))
			die_usage("only one of -0 and --json");
		o->format = c == '0' ? FORMAT_NUL : FORMAT_JSON;
		break;
	case OPT_ACK:
		o->ack = true;
		break;
	case OPT_NO_PROMOTE:
		o->conf.promote = false;
		break;
	case 'q':
		o->quiet = true;
		break;
	default:
		durably_option(&o->common, c, usage);
	}
}

void options_read(struct options *o, int argc, char **argv)
{
	static const struct option options[] = {OPT_LONG,
						{"count", required_argument, NULL, 'n'},
						{"wait", required_argument, NULL, 'w'},
						{"linger", required_argument, NULL, OPT_LINGER},
						{"follow", no_argument, NULL, 'f'},
						{"until-empty", no_argument, NULL, OPT_UNTIL_EMPTY},
						{"ttr", required_argument, NULL, 't'},
						{"null", no_argument, NULL, '0'},
						{"json", no_argument, NULL, OPT_JSON},
						{"ack", no_argument, NULL, OPT_ACK},
						{"no-promote", no_argument, NULL, OPT_NO_PROMOTE},
						{"quiet", no_argument, NULL, 'q'},
						PATIENCE_LONG,
						DURABLY_LONG,
						OPT_END};
	struct operands queues;
	int c;

	*o = (struct options){.conf = {.ttr = -1, .promote = true}, .wait = -1, .linger = -1};
	durably_start(&o->common, "dq-take");
	patience_start(&o->common);
	while ((c = argv_next(argc, argv, OPT_SHORT "n:w:ft:0q", options)) != -1)
		parse_option(o, c);
	queues = argv_operands(argc, argv);
	if (!queues.count)
		die_usage("no queue given");
	if (o->follow + o->until_empty + (o->wait >= 0) > 1)
		die_usage("only one of -w, -f and --until-empty");
	if (o->linger >= 0 && !o->conf.count)
		die_usage("--linger: only with -n");
	if (o->format == FORMAT_TSV && isatty(STDOUT_FILENO))
		o->format = FORMAT_SHOWN;
	o->paced = o->follow && !o->conf.count;
	if (!o->conf.count)
		o->conf.count = o->until_empty ? QUEUE_BATCH : 1;
	/* dq-take may have ended while its caller works */
	o->conf.holder = holding_name(getppid());
	o->queues = queues.words;
	o->queue_count = opt_queues(queues.words);
}
