#include "options.h"

#include <stdlib.h>
#include <string.h>

#include "base/dedup.h"
#include "base/text.h"
#include "list.h"
#include "message/listing.h"
#include "tool/die.h"
#include "tool/patience.h"

static const char usage[] =
	"usage: dq-stat [-aq] [--json | --no-header] [QUEUE|NAME...]\n"
	"       dq-stat --messages STATE[,...]|all [--payload] [--json] [QUEUE...]\n"
	"       dq-stat --payload NAME\n"
	"       dq-stat --keys [--limit N] [--json | --no-header] QUEUE\n"
	"       dq-stat -k KEY [--messages ended] [--json] QUEUE\n"
	"       dq-stat --check [--warn LIMITS] [--crit LIMITS] [--json] [QUEUE...]\n"
	"       dq-stat --next [QUEUE...]\n"
	"       dq-stat --names\n"
	"       dq-stat --prometheus [--output FILE] [QUEUE...]\n"
	"       dq-stat --watch [--every DUR] [-a] [QUEUE...]\n"
	"Shows how many messages each queue (all of them, or the named ones) holds in\n"
	"each state, and the named messages, in lines of KEY, TAB, VALUE. NAME is\n"
	"QUEUE/ID, or a receipt. Exit 1 if there is no such message or queue.\n"
	"  DELAYED due later; DUE due, not yet ready; READY; LEASED taken, not settled;\n"
	"  DEAD out of tries or buried; OLDEST how long the oldest ready message has been\n"
	"  due; LATE the same of DUE; NEXT time until the next one is due; LIMITED why\n"
	"  consumers get nothing now; EXPIRED expired messages among the first three;\n"
	"  RETRYING failed, and tried again; FAILING how long ago the oldest of these was\n"
	"  due first; HELD never due by themselves (dq-put -d never); BLOCKED how long\n"
	"  the first ready message has been due that waits for its key\n"
	"      --messages STATE[,...]|all  a line for each message in one of these states\n"
	"                           (leased, ready, due, delayed, dead) instead: NAME\n"
	"                           STATE TIME TRIES REASON HOLDER, with TABs between;\n"
	"                           TIME: due time, end of the lease, time of death; or\n"
	"                           expired: time of expiry; or ended: kept outcomes,\n"
	"                           newest first\n"
	"      --payload            print only the payload of one message; or add the\n"
	"                           payloads to --messages, as the last field\n"
	"      --keys               the keys of its messages (dq-put -k), with most READY\n"
	"                           ones first; LEASED; TRIED: delivered before, and not\n"
	"                           leased; DEAD, where they stop their key; AGE of the\n"
	"                           first ready one since it was due; BLOCKED: why it has\n"
	"                           no turn: limit, retry, dead, paused, unknown; - has\n"
	"                           all without a key\n"
	"      --limit N            at most N keys\n"
	"  -k, --message-key KEY    the messages of a key, a line for each as with\n"
	"                           --messages (with -v also the number in each state);\n"
	"                           with --messages ended: outcomes of its messages\n"
	"      --check              settings and states of the server that put messages\n"
	"                           at risk, and queues in trouble; exit 0 none,\n"
	"                           1 warning, 2 critical, 3 unknown\n"
	"      --warn LIMITS, --crit LIMITS  numbers that are a warning, or critical:\n"
	"                           'late>2m,ready>=1000' (delayed due ready leased dead\n"
	"                           expired oldest late retrying failing limited held;\n"
	"                           > >= < <=, or :gt: :ge: :lt: :le:), or none; default\n"
	"                           --warn 'late>60s,dead>0,failing>10m,limited>1h'\n"
	"      --next               ms until the next message can be taken; 0 now; exit 1\n"
	"                           if there is none\n"
	"      --names              only the names of the queues, one per line\n"
	"      --prometheus         metrics of queues and server, for Prometheus\n"
	"      --output FILE        replace FILE by the metrics, in one step; for the\n"
	"                           textfile collector FILE ends in .prom\n"
	"      --watch              a live view; without a terminal a line per refresh\n"
	"      --every DUR          refresh interval (1s), longer with many queues\n"
	"      --json               one JSON object, with counters; times in ms; messages\n"
	"                           are one object per line\n"
	"      --no-header          a table without its first line\n"
	"  -a, --all                show idle queues, too, as rows on a terminal\n"
	"  -q, --quiet              do not report queues that do not exist yet\n"
	PATIENCE_USAGE OPT_USAGE;

enum{OPT_JSON = OPT_OWN, OPT_NO_HEADER, OPT_MESSAGES, OPT_PAYLOAD, OPT_CHECK, OPT_NEXT,
     OPT_PROMETHEUS, OPT_OUTPUT, OPT_WATCH, OPT_EVERY, OPT_WARN, OPT_CRIT, OPT_NAMES, OPT_KEYS,
     OPT_LIMIT};

/* set_mode refuses a second mode. */
static void set_mode(struct options *o, enum mode mode, const char *name)
{
	if (o->mode_name && o->mode != mode)
		die_usage("%s: not with %s", o->mode_name, name);
	o->mode = mode;
	o->mode_name = name;
}

#define EVERY_MIN 100 /* ms */

static void set_states(struct options *o, const char *text)
{
	char shown[80];

	if (o->mode == MODE_KEY)
		o->mode_name = NULL; /* see refuse_key */
	set_mode(o, MODE_MESSAGES, "--messages");
	o->states = "";
	if (!strcmp(text, "all"))
		return;
	if (!listing_states_valid(text) && strcmp(text, LIST_EXPIRED) != 0 &&
	    strcmp(text, LIST_ENDED) != 0)
		die_usage("--messages: \"%s\": not one or more of leased, ready, due, delayed, "
			  "dead, with commas between, nor expired, ended or all",
			  text_shown(shown, sizeof shown, text, strlen(text)));
	o->states = text;
}

static void set_key(struct options *o, const char *key)
{
	struct err e;

	if (o->mode != MODE_MESSAGES)
		set_mode(o, MODE_KEY, "-k");
	if (name_key_check(key, strlen(key), &e) < 0)
		die_usage("-k: %s", e.text);
	o->key = key;
}

/* add_limits: repeated options add up. */
static void add_limits(struct thresholds *t, const char *name, const char *text, const char **given)
{
	struct err e;

	*given = name;
	if (thresholds_add(t, text, &e) < 0)
		die_usage("%s: %s", name, e.text);
}

static void default_limits(struct options *o)
{
	struct err e;

	if (thresholds_add(&o->warn, THRESHOLDS_WARN, &e) < 0)
		die(DQ_INTERNAL, "%s", e.text);
}

/* refuse_limits: no name of a queue has such a character, but limits do. */
static void refuse_limits(const struct options *o, const char *operand)
{
	char shown[80];

	if (o->mode == MODE_CHECK && strpbrk(operand, "<>"))
		die_usage("\"%s\": not a queue; limits are given by --warn or --crit",
			  text_shown(shown, sizeof shown, operand, strlen(operand)));
}

/* read_operands separates queues from messages. */
static void read_operands(struct options *o, int count, char **operands)
{
	int kinds = o->mode == MODE_COUNTS ? NAME_QUEUE | NAME_MESSAGE : NAME_QUEUE;
	struct dedup seen = {0};
	size_t queue_count = 0;
	struct err e;

	if (o->mode == MODE_NAMES && count > 0)
		die_usage("--names: takes no operand");
	o->queues = calloc((size_t)count + 1, sizeof *o->queues);
	o->names = calloc((size_t)count + 1, sizeof *o->names);
	if (!o->queues || !o->names)
		die(DQ_TEMPORARY, "out of memory");
	for (int i = 0; i < count; i++) {
		struct name *name = &o->names[o->name_count];
		refuse_limits(o, operands[i]);
		if (name_parse(operands[i], strlen(operands[i]), kinds, name, &e) < 0)
			die_usage("%s", e.text);
		if (name->id[0])
			o->name_count++;
		else if (!dedup_seen(&seen, operands[i], strlen(operands[i]), "", 0))
			o->queues[queue_count++] = operands[i];
	}
	dedup_free(&seen);
	if ((o->mode == MODE_KEYS || o->mode == MODE_KEY) && count != 1)
		die_usage("%s: takes one queue", o->mode_name);
	if (o->payload && o->mode == MODE_COUNTS && (o->name_count != 1 || queue_count > 0))
		die_usage("--payload: takes one message (QUEUE/ID)");
}

static void refuse_payload(const struct options *o)
{
	if (o->payload && o->states && !strcmp(o->states, LIST_ENDED))
		die_usage("--payload: not with --messages ended");
}

static void refuse_key(const struct options *o)
{
	if (o->key && o->states && strcmp(o->states, LIST_ENDED) != 0)
		die_usage("--messages: with -k only ended");
}

static void refuse_unless(const struct options *o, bool good, const char *name)
{
	if (!good)
		die_usage("%s: not with %s", o->mode_name, name);
}

/* refuse_others refuses options that have no meaning in this mode. */
static void refuse_others(struct options *o, const char *limits)
{
	if (o->common.retry_named && o->mode == MODE_CHECK)
		die_usage("--retry-for: not with --check, which reports the state of this moment");
	if (o->mode == MODE_CHECK)
		o->common.retry_for = 0;
	if (!o->header && (o->json || o->mode == MODE_MESSAGES || o->mode == MODE_CHECK))
		die_usage("--no-header: not with --json, --messages or --check");
	refuse_unless(o, o->header || o->mode == MODE_COUNTS || o->mode == MODE_KEYS,
		      "--no-header");
	if (o->limit >= 0 && o->mode != MODE_KEYS)
		die_usage("--limit: only with --keys");
	refuse_unless(o, !o->json || o->mode <= MODE_CHECK, "--json");
	if (o->idle && ((o->mode != MODE_COUNTS && o->mode != MODE_WATCH) || o->json || o->payload))
		die_usage("--all: only for the table");
	if (o->every >= 0 && o->mode != MODE_WATCH)
		die_usage("--every: only with --watch");
	if (o->every >= 0 && o->every < EVERY_MIN)
		die_usage("--every: at least 100ms");
	if (limits && o->mode != MODE_CHECK)
		die_usage("%s: only with --check", limits);
	refuse_payload(o);
	refuse_key(o);
	if (o->output && o->mode != MODE_PROMETHEUS)
		die_usage("--output: only with --prometheus");
	if (o->output && !*o->output)
		die_usage("--output: empty");
	if (o->payload && (o->mode > MODE_MESSAGES || (o->mode == MODE_COUNTS && o->json)))
		die_usage("--payload: not with %s",
			  o->mode != MODE_COUNTS ? o->mode_name : "--json");
}

/* set_by: is it an option that chooses what is shown? */
static bool set_by(struct options *o, int c)
{
	switch (c) {
	case OPT_MESSAGES:
		set_states(o, optarg);
		return true;
	case OPT_KEYS:
		set_mode(o, MODE_KEYS, "--keys");
		return true;
	case 'k':
		set_key(o, optarg);
		return true;
	case OPT_CHECK:
		set_mode(o, MODE_CHECK, "--check");
		return true;
	case OPT_NEXT:
		set_mode(o, MODE_NEXT, "--next");
		return true;
	case OPT_NAMES:
		set_mode(o, MODE_NAMES, "--names");
		return true;
	case OPT_PROMETHEUS:
		set_mode(o, MODE_PROMETHEUS, "--prometheus");
		return true;
	case OPT_WATCH:
		set_mode(o, MODE_WATCH, "--watch");
		return true;
	default:
		return false;
	}
}

/* parse_option: one of the others. */
static void parse_option(struct options *o, int c, const char **warn, const char **crit)
{
	if (c == OPT_JSON)
		o->json = true;
	else if (c == OPT_NO_HEADER)
		o->header = false;
	else if (c == OPT_PAYLOAD)
		o->payload = true;
	else if (c == OPT_EVERY)
		o->every = opt_duration("--every", optarg);
	else if (c == OPT_LIMIT)
		o->limit = opt_number("--limit", optarg, 1, 1000000000);
	else if (c == OPT_OUTPUT)
		o->output = optarg;
	else if (c == 'a')
		o->idle = true;
	else if (c == OPT_WARN)
		add_limits(&o->warn, "--warn", optarg, warn);
	else if (c == OPT_CRIT)
		add_limits(&o->crit, "--crit", optarg, crit);
	else if (c == 'q')
		o->quiet = true;
	else
		opt_common(&o->common, c, usage);
}

void options_read(struct options *o, int argc, char **argv)
{
	static const struct option options[] = {OPT_LONG,
						{"json", no_argument, NULL, OPT_JSON},
						{"no-header", no_argument, NULL, OPT_NO_HEADER},
						{"messages", required_argument, NULL, OPT_MESSAGES},
						{"payload", no_argument, NULL, OPT_PAYLOAD},
						{"keys", no_argument, NULL, OPT_KEYS},
						{"limit", required_argument, NULL, OPT_LIMIT},
						{"message-key", required_argument, NULL, 'k'},
						{"check", no_argument, NULL, OPT_CHECK},
						{"next", no_argument, NULL, OPT_NEXT},
						{"names", no_argument, NULL, OPT_NAMES},
						{"prometheus", no_argument, NULL, OPT_PROMETHEUS},
						{"output", required_argument, NULL, OPT_OUTPUT},
						{"all", no_argument, NULL, 'a'},
						{"watch", no_argument, NULL, OPT_WATCH},
						{"every", required_argument, NULL, OPT_EVERY},
						{"warn", required_argument, NULL, OPT_WARN},
						{"crit", required_argument, NULL, OPT_CRIT},
						{"quiet", no_argument, NULL, 'q'},
						PATIENCE_LONG,
						OPT_END};
	const char *warn = NULL, *crit = NULL;
	struct operands operands;
	int c;

	*o = (struct options){.header = true, .every = -1, .limit = -1};
	opt_start(&o->common, "dq-stat");
	patience_start(&o->common);
	while ((c = argv_next(argc, argv, OPT_SHORT "ak:q", options)) != -1)
		if (!set_by(o, c))
			parse_option(o, c, &warn, &crit);
	refuse_others(o, warn ? warn : crit);
	if (!warn)
		default_limits(o);
	operands = argv_operands(argc, argv);
	read_operands(o, operands.count, operands.words);
}

void options_free(struct options *o)
{
	free(o->queues);
	free(o->names);
}
