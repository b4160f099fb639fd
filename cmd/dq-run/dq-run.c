/* dq-run: a worker: runs a command for each message. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "child.h"
#include "redis/nodes.h"
#include "tool/die.h"
#include "tool/durably.h"
#include "tool/holding.h"
#include "tool/patience.h"
#include "tool/stop.h"
#include "worker.h"

static const char usage[] =
	"usage: dq-run [-q] [-j N] [-t DUR] [--once | --drain | --until-empty]\n"
	"              [--rotate] [--result] [--kill-after DUR] QUEUE... -- CMD [ARG...]\n"
	"Runs CMD for each due message, with the payload on its standard input.\n"
	"Its environment has DQ_QUEUE DQ_ID DQ_NAME DQ_MESSAGE_KEY DQ_RECEIPT DQ_TRY\n"
	"DQ_MAX_TRIES DQ_GIVEN_BACK DQ_DUE_MS DQ_LEASE_UNTIL_MS, and DQ_REASON: why the\n"
	"last try failed. CMD's exit status settles the message: 0 done, 65 dead at\n"
	"once, any other and any signal: retried by the message's schedule; or a line\n"
	"that CMD writes on descriptor 3: done, retry [DUR] [REASON], give-back [DUR]\n"
	"[REASON] or bury [REASON]. The lease is renewed while CMD runs.\n"
	"TERM or INT: take no more, wait for the commands; a second one: end them.\n"
	"  -j, --jobs N             commands at once (1)\n"
	"  -t, --ttr DUR            length of a lease between renewals (each message's\n"
	"                           own)\n"
	"      --once               take the due messages, at most -j, and end\n"
	"                           (exit 1: nothing was due)\n"
	"      --drain              end when nothing is delayed, ready or leased\n"
	"      --until-empty        end when nothing is due and no command runs\n"
	"      --rotate             several queues in turn, each its share (the first one\n"
	"                           until it is empty, then the next one)\n"
	"      --result             the last line of CMD's output is the result of a\n"
	"                           message that was put with --keep\n"
	"      --kill-after DUR     between TERM and KILL of a command that must end\n"
	"                           (10s)\n"
	"  -q, --quiet              do not report queues that are paused, limited, or\n"
	"                           do not exist yet\n" PATIENCE_USAGE DURABLY_USAGE OPT_USAGE;

enum { OPT_ONCE = OPT_OWN, OPT_DRAIN, OPT_UNTIL_EMPTY, OPT_ROTATE, OPT_RESULT, OPT_KILL_AFTER };

#define JOBS_MAX 1000
/* a lookup of a host that takes longer goes on beside the leases and the commands */
#define LOOKUP_MS 50

static void parse_option(struct opt *o, struct worker_conf *conf, int c)
{
	switch (c) {
	case 'j':
		conf->jobs = (int)opt_number("-j", optarg, 1, JOBS_MAX);
		break;
	case 't':
		conf->ttr = opt_duration("-t", optarg);
		if (conf->ttr < 1)
			die_usage("-t: a lease is at least 1ms");
		break;
	case OPT_ONCE:
		conf->once = true;
		break;
	case OPT_DRAIN:
		conf->drain = true;
		break;
	case OPT_UNTIL_EMPTY:
		conf->until_empty = true;
		break;
	case OPT_ROTATE:
		conf->rotate = true;
		break;
	case OPT_RESULT:
		conf->result = true;
		break;
	case OPT_KILL_AFTER:
		conf->kill_after = opt_duration("--kill-after", optarg);
		break;
	case 'q':
		conf->quiet = true;
		break;
	default:
		durably_option(o, c, usage);
	}
}

#define FORM "dq-run QUEUE... -- CMD [ARG...]"

/* incomplete ends the tool. command is the index at which "--" is expected behind the queues,
 * or argc. */
static void incomplete(int argc, char **argv, int command)
{
	if (optind == argc)
		die_usage("no queue and no command given: " FORM);
	if (command == optind || (command == argc && !strcmp(argv[optind - 1], "--")))
		die_usage("no queue given before --: " FORM);
	if (command == argc && argc - optind > 1)
		die_usage("no -- between queues and command: " FORM);
	die_usage("no command given: " FORM);
}

/* parse returns the names of the queues, queue_count of them. The command is behind "--". */
static char **parse(struct opt *o, struct worker_conf *conf, int argc, char **argv)
{
	static const struct option options[] = {
		OPT_LONG,
		{"jobs", required_argument, NULL, 'j'},
		{"ttr", required_argument, NULL, 't'},
		{"once", no_argument, NULL, OPT_ONCE},
		{"drain", no_argument, NULL, OPT_DRAIN},
		{"until-empty", no_argument, NULL, OPT_UNTIL_EMPTY},
		{"rotate", no_argument, NULL, OPT_ROTATE},
		{"result", no_argument, NULL, OPT_RESULT},
		{"kill-after", required_argument, NULL, OPT_KILL_AFTER},
		{"quiet", no_argument, NULL, 'q'},
		PATIENCE_LONG,
		DURABLY_LONG,
		OPT_END};
	struct operands queues;
	int c, i;

	while ((c = argv_next(argc, argv, OPT_SHORT "j:t:q", options)) != -1)
		parse_option(o, conf, c);
	for (i = optind; i < argc && strcmp(argv[i], "--");)
		i++;
	if (i == optind || i + 1 >= argc)
		incomplete(argc, argv, i);
	queues = argv_operands(i, argv);
	queues.words[queues.count] = NULL; /* in place of the -- */
	conf->queue_count = opt_queues(queues.words);
	if (conf->once + conf->drain + conf->until_empty > 1)
		die_usage("only one of --once, --drain and --until-empty");
	conf->argv = argv + i + 1;
	return queues.words;
}

int main(int argc, char **argv)
{
	struct worker_conf conf = {.jobs = 1, .ttr = -1, .kill_after = 10000};
	struct exchange x;
	struct opt o;
	char **names;
	int status;

	durably_start(&o, "dq-run");
	patience_start(&o);
	/* before all else: PID 1 receives only signals that it catches */
	conf.signal_fd = opt_caught(stop_catch());
	names = parse(&o, &conf, argc, argv);
	conf.holder = holding_name(getpid());
	if (child_adopt() < 0 && getpid() != 1)
		warn("processes that commands leave behind are not collected: %s", strerror(errno));
	conf.child_fd = opt_caught(stop_catch_children());
	durably_connect(&o, &x, conf.signal_fd);
	/* from now on the worker handles signals itself; a signal interrupts no exchange */
	x.conf->wait.stop_fd = -1;
	x.conf->patience = LOOKUP_MS;
	warn_write_wait(100);
	conf.x = &x;
	conf.prefix = o.prefix;
	conf.password_file = o.password_file;
	conf.verbose = o.verbose;
	conf.queues = calloc((size_t)conf.queue_count, sizeof *conf.queues);
	if (!conf.queues)
		die(DQ_TEMPORARY, "out of memory");
	for (int i = 0; i < conf.queue_count; i++)
		queue_init(&conf.queues[i], &x, o.prefix, names[i]);
	status = worker_run(&conf);
	for (int i = 0; i < conf.queue_count; i++)
		queue_free(&conf.queues[i]);
	free(conf.queues);
	exchange_close(&x);
	finish(status);
}
