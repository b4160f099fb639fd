/* dq-run: a worker: runs a command for each message. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "die.h"
#include "opt.h"
#include "stop.h"
#include "worker.h"

static const char usage[] =
	"usage: dq-run [-j N] [-t DUR] [--once | --drain] [--kill-after DUR] QUEUE... -- CMD [ARG...]\n"
	"Runs CMD for each message that is due, the payload on its standard input, DQ_QUEUE DQ_ID DQ_NAME DQ_RECEIPT DQ_TRY\n"
	"DQ_TRIES DQ_DUE_MS DQ_LEASE_UNTIL_MS in its environment. CMD's exit status settles the message: 0 done, 65 dead at\n"
	"once, 126 and 127 given back and the worker stops, any other and any signal: tried again by the message's schedule.\n"
	"The lease is renewed while CMD runs. TERM or INT: take no more, let what runs finish; a second one: end it.\n"
	"  -j, --jobs N             commands at once (1)\n"
	"  -t, --ttr DUR            length of a lease between renewals (each message's own)\n"
	"      --once               take what is due, at most -j messages, and end (exit 1: nothing was due)\n"
	"      --drain              end when nothing is delayed, ready or leased\n"
	"      --kill-after DUR     between TERM and KILL of a command that must end (10s)\n" OPT_USAGE;

enum { OPT_ONCE = OPT_OWN, OPT_DRAIN, OPT_KILL_AFTER };

#define JOBS_MAX 1000

static void parse_option(struct opt *o, struct worker_conf *conf, int c, char **argv)
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
	case OPT_KILL_AFTER:
		conf->kill_after = opt_duration("--kill-after", optarg);
		break;
	default:
		opt_common(o, c, argv, usage);
	}
}

/* parse ends with queue_count queues from argv[optind] on, and the command behind "--". */
static void parse(struct opt *o, struct worker_conf *conf, int argc, char **argv)
{
	static const struct option options[] = {OPT_LONG,
						{"jobs", required_argument, NULL, 'j'},
						{"ttr", required_argument, NULL, 't'},
						{"once", no_argument, NULL, OPT_ONCE},
						{"drain", no_argument, NULL, OPT_DRAIN},
						{"kill-after", required_argument, NULL, OPT_KILL_AFTER},
						OPT_END};
	int c, i;

	while ((c = getopt_long(argc, argv, "+" OPT_SHORT "j:t:", options, NULL)) != -1)
		parse_option(o, conf, c, argv);
	for (i = optind; i < argc && strcmp(argv[i], "--"); i++)
		opt_queue(argv[i]);
	conf->queue_count = i - optind;
	if (conf->queue_count == 0)
		die_usage("no queue given");
	if (i + 1 >= argc)
		die_usage("no command given: QUEUE... -- CMD [ARG...]");
	if (conf->once && conf->drain)
		die_usage("only one of --once and --drain");
	conf->argv = argv + i + 1;
}

int main(int argc, char **argv)
{
	struct worker_conf conf = {.jobs = 1, .ttr = -1, .kill_after = 10000};
	struct conn conn;
	struct opt o;
	int status;

	opt_start(&o, "dq-run");
	parse(&o, &conf, argc, argv);
	conf.signal_fd = opt_caught(stop_catch());
	conf.child_fd = opt_caught(stop_catch_children());
	opt_connect(&o, &conn, conf.signal_fd);
	conn.conf.stop_fd = -1; /* from here on the worker hears signals itself, and no answer is left half read */
	warn_patience(100);
	conf.conn = &conn;
	conf.prefix = o.prefix;
	conf.password_file = o.password_file;
	conf.verbose = o.verbose;
	conf.queues = calloc((size_t)conf.queue_count, sizeof *conf.queues);
	if (!conf.queues)
		die(DQ_TEMPORARY, "out of memory");
	for (int i = 0; i < conf.queue_count; i++)
		queue_init(&conf.queues[i], &conn, o.prefix, argv[optind + i]);
	status = worker_run(&conf);
	free(conf.queues);
	conn_close(&conn);
	finish((enum status)status);
}
