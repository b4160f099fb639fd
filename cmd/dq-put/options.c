#include "options.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/num.h"
#include "tool/die.h"
#include "tool/durably.h"
#include "tool/patience.h"

static const char usage[] =
	"usage: dq-put [OPTION...] QUEUE [[--] PAYLOAD...]\n"
	"       dq-put [OPTION...] -l | -0 | --tsv QUEUE\n"
	"Puts each PAYLOAD, or all of standard input as one, into QUEUE; prints QUEUE/ID\n"
	"of each message that Redis has accepted. Empty standard input is refused; '' is\n"
	"an empty payload.\n"
	"  -d, --delay DUR          due after DUR: 500ms 90s 1.5h 1h30m 2d 1w; a bare\n"
	"                           number is seconds (0); never: held, not due until\n"
	"                           dq-promote names it\n"
	"  -a, --at TIME            due at @EPOCH[.frac], @EPOCHms, or RFC 3339 with a\n"
	"                           zone: 2026-11-21T09:00:00+01:00\n"
	"  -i, --id ID              the message's id (default: a generated ULID)\n"
	"  -k, --message-key KEY    the id is KEY+ID; keys take turns, so that many\n"
	"                           messages of one do not delay those of another\n"
	"  -e, --if-exists MODE     if the id exists: fail (exit 1), keep, replace,\n"
	"                           earlier, later, move, edit (fail)\n"
	"      --existing           create no message: exit 1 if the id does not exist\n"
	"                           (-e replace, earlier, later, move, edit)\n"
	"      --unique-for DUR     the id stays reserved for DUR after an ack\n"
	"      --keep DUR           likewise, and what became of the message is kept as\n"
	"                           long: done, dead or removed, and the result\n"
	"  -t, --ttr DUR            time to run: the length of a lease (60s)\n"
	"  -r, --tries N            deliveries until it is dead (number of waits in -b,\n"
	"                           plus 1; without a list of waits 5)\n"
	"  -b, --backoff SPEC       waits before a retry: 0,0,2m,10m,1h (with a greater\n"
	"                           -r the last repeats), or exp:1s..1h\n"
	"                           (1s,10s,1m,10m)\n"
	"  -p, --priority N         0 to 255, lower first (100)\n"
	"  -x, --expires DUR        not delivered later than DUR from now\n"
	"  -l, --lines              each line of standard input is a message\n"
	"  -0, --null               likewise, ended by NUL\n"
	"      --tsv                likewise, DELAY TAB ID TAB PAYLOAD, - for none,\n"
	"                           payload escaped as jq's @tsv\n"
	"      --base64             payloads are base64\n"
	"      --max-bytes SIZE     refuse larger payloads (1M; at most 16M)\n"
	"  -q, --quiet              print no names\n" PATIENCE_USAGE DURABLY_USAGE OPT_USAGE;

enum { OPT_MAX_BYTES = OPT_OWN, OPT_TSV, OPT_BASE64, OPT_UNIQUE_FOR, OPT_EXISTING, OPT_KEEP };

#define TRIES_MAX 1000000

static void parse_due(struct options *o, int letter, const char *text)
{
	if (o->producer.due[0])
		die_usage("-%c: only one of -d and -a", letter);
	o->due_by = letter == 'd' ? "-d" : "-a";
	if (letter != 'd' || !line_never(text, o->producer.due))
		opt_due(letter, text, o->producer.due);
}

static void parse_mode(struct options *o, const char *text)
{
	static const char *const modes[] = {"fail", "keep", "replace", "earlier", "later", "move",
					    "edit"};

	for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
		if (!strcmp(text, modes[i]))
			o->producer.mode = modes[i];
	if (strcmp(text, o->producer.mode))
		die_usage("-e: one of fail, keep, replace, earlier, later, move, edit");
}

static void parse_form(struct options *o, int form)
{
	if (o->form && o->form != form)
		die_usage("only one of -l, -0 and --tsv");
	o->form = form;
	o->producer.unit = form == '0' ? "record" : "line";
}

/* parse_lifetime: an outcome is kept as long as the id is reserved. */
static void parse_lifetime(struct options *o, int c)
{
	if (o->lifetime && o->lifetime != c)
		die_usage("only one of --unique-for and --keep");
	o->lifetime = c;
	o->stored = c == OPT_KEEP ? "--keep" : "--unique-for";
	o->producer.message.keep = c == OPT_KEEP;
	o->producer.message.unique = opt_duration(c == OPT_KEEP ? "--keep" : "--unique-for",
						  optarg);
	if (c == OPT_KEEP && o->producer.message.unique < 1)
		die_usage("--keep: at least 1ms");
}

/* parse_message parses the options that are stored with the message. */
static bool parse_message(struct options *o, int c)
{
	struct err e;

	switch (c) {
	case 't':
		o->stored = "-t";
		o->producer.message.ttr = opt_duration("-t", optarg);
		if (o->producer.message.ttr < 1)
			die_usage("-t: a lease is at least 1ms");
		return true;
	case 'r':
		o->stored = "-r";
		o->producer.message.tries = opt_number("-r", optarg, 1, TRIES_MAX);
		return true;
	case 'b':
		o->stored = "-b";
		o->schedule.len = 0;
		if (header_backoff(optarg, &o->schedule, &e) < 0)
			die_usage("-b: %s", e.text);
		o->producer.message.backoff = o->schedule.bytes;
		return true;
	case 'p':
		o->stored = "-p";
		o->producer.message.priority = opt_number("-p", optarg, 0, 255);
		return true;
	case 'x':
		o->producer.expires = opt_duration("-x", optarg);
		return true;
	case OPT_UNIQUE_FOR:
	case OPT_KEEP:
		parse_lifetime(o, c);
		return true;
	default:
		return false;
	}
}

static void parse_option(struct options *o, int c)
{
	struct err e;

	switch (c) {
	case 'd':
		parse_due(o, 'd', optarg);
		break;
	case 'a':
		parse_due(o, 'a', optarg);
		break;
	case 'i':
		if (name_id_check(optarg, strlen(optarg), &e) < 0)
			die_usage("-i: %s", e.text);
		o->id = optarg;
		break;
	case 'k':
		if (name_key_check(optarg, strlen(optarg), &e) < 0)
			die_usage("-k: %s", e.text);
		o->key = optarg;
		break;
	case 'e':
		parse_mode(o, optarg);
		break;
	case 'l':
	case '0':
	case OPT_TSV:
		parse_form(o, c == OPT_TSV ? 't' : c);
		break;
	case OPT_BASE64:
		o->base64 = true;
		break;
	case OPT_EXISTING:
		o->producer.existing = true;
		break;
	case 'q':
		o->producer.quiet = true;
		break;
	case OPT_MAX_BYTES:
		if (num_size(optarg, 0, QUEUE_PAYLOAD_HARD_MAX, "--max-bytes",
			     &o->producer.max_bytes, &e) < 0)
			die_usage("%s", e.text);
		break;
	default:
		if (!parse_message(o, c))
			durably_option(&o->common, c, usage);
	}
}

/* changes: does a put with this mode change an existing message? */
static bool changes(const char *mode)
{
	return strcmp(mode, "fail") != 0 && strcmp(mode, "keep") != 0;
}

/* takes_payload: does it need the payload for that? */
static bool takes_payload(const char *mode)
{
	return !strcmp(mode, "replace") || !strcmp(mode, "edit");
}

/* refuse_useless refuses what would change nothing: with --existing no message is made, and of one
 * that exists only replace sets all. */
static void refuse_useless(const struct options *o, int payloads)
{
	bool edits = !strcmp(o->producer.mode, "edit");
	const char *useless = o->stored;

	if (!o->producer.existing || !strcmp(o->producer.mode, "replace"))
		return;
	if (edits && o->due_by)
		useless = o->due_by;
	else if (edits && o->producer.expires >= 0)
		useless = "-x";
	else if (!edits && payloads > 0)
		useless = "PAYLOAD";
	if (useless)
		die_usage("%s: no effect with --existing -e %s", useless, o->producer.mode);
}

/* check_key refuses a key that does not fit to the id, or to generated ids;
 * of --tsv each line is checked. */
static void check_key(const struct options *o)
{
	const struct line line = {.id = o->id, .id_len = o->id ? strlen(o->id) : 0, .key = o->key,
				  .key_len = o->key ? strlen(o->key) : 0};
	struct err e;

	if (o->key && o->id && name_key_len(o->id, line.id_len) > 0)
		die_usage("-k: the id of -i has a key already");
	if (o->form != 't' && line_keyed(&line, &e) < 0)
		die_usage("-k: %s", e.text);
}

/* check refuses options that exclude each other, or do not fit the number of payloads. */
static void check(struct options *o, int payloads)
{
	if (o->form && payloads > 0)
		die_usage("-l, -0 and --tsv read standard input and take no PAYLOAD");
	if (o->producer.existing && !changes(o->producer.mode))
		die_usage("--existing: only with -e replace, earlier, later, move or edit");
	if (changes(o->producer.mode) && !o->id && o->form != 't')
		die_usage("-e %s: needs -i or --tsv: no message has a generated id yet",
			  o->producer.mode);
	refuse_useless(o, payloads);
	if (o->id && (o->form || payloads > 1))
		die_usage("-i: an id is for one message only");
	check_key(o);
	o->bare = o->producer.existing && !takes_payload(o->producer.mode) && !o->form &&
		  payloads == 0;
	if (payloads == 0 && !o->form && !o->bare && isatty(STDIN_FILENO))
		die_usage("no payload given, and standard input is a terminal");
	if (!o->producer.due[0])
		strcpy(o->producer.due, "0");
	if (o->producer.message.tries == 0)
		o->producer.message.tries = header_tries(o->producer.message.backoff);
}

/* read_trace reads the caller's trace context, which is stored with all messages. It ignores an
 * invalid one, as the standard says. */
static void read_trace(struct options *o)
{
	const char *parent = getenv("TRACEPARENT"), *state = getenv("TRACESTATE");
	bool valid = parent && trace_parent_valid(parent, strlen(parent));

	if (valid)
		o->producer.message.traceparent = parent;
	else if (parent && *parent && o->common.verbose)
		warn("TRACEPARENT: not a trace context: ignored");
	if (valid && state && !trace_state(state, strlen(state), o->tracestate) &&
	    o->common.verbose)
		warn("TRACESTATE: not valid, or over %d bytes: ignored", TRACE_STATE_MAX);
	if (o->tracestate[0])
		o->producer.message.tracestate = o->tracestate;
}

void options_read(struct options *o, int argc, char **argv)
{
	static const struct option options[] = {
		OPT_LONG, {"delay", required_argument, NULL, 'd'},
		{"at", required_argument, NULL, 'a'}, {"id", required_argument, NULL, 'i'},
		{"message-key", required_argument, NULL, 'k'},
		{"if-exists", required_argument, NULL, 'e'},
		{"unique-for", required_argument, NULL, OPT_UNIQUE_FOR},
		{"keep", required_argument, NULL, OPT_KEEP},
		{"existing", no_argument, NULL, OPT_EXISTING},
		{"ttr", required_argument, NULL, 't'}, {"tries", required_argument, NULL, 'r'},
		{"backoff", required_argument, NULL, 'b'},
		{"priority", required_argument, NULL, 'p'},
		{"expires", required_argument, NULL, 'x'}, {"lines", no_argument, NULL, 'l'},
		{"null", no_argument, NULL, '0'}, {"tsv", no_argument, NULL, OPT_TSV},
		{"base64", no_argument, NULL, OPT_BASE64},
		{"max-bytes", required_argument, NULL, OPT_MAX_BYTES},
		{"quiet", no_argument, NULL, 'q'}, PATIENCE_LONG, DURABLY_LONG, OPT_END};
	struct operands operands;
	int c;

	*o = (struct options){
		.producer = {.mode = "fail", .expires = -1, .max_bytes = QUEUE_PAYLOAD_MAX,
			     .message = {.ttr = QUEUE_TTR_MS, .priority = QUEUE_PRIORITY}}};
	durably_start(&o->common, "dq-put");
	patience_start(&o->common);
	while ((c = argv_next(argc, argv, OPT_SHORT "d:a:i:k:e:t:r:b:p:x:l0q", options)) != -1)
		parse_option(o, c);
	operands = argv_operands(argc, argv);
	if (operands.count < 1)
		die_usage("no queue given");
	o->payloads = operands.words + 1;
	o->literal = operands.words + operands.literal;
	check(o, operands.count - 1);
	read_trace(o);
	opt_queue(operands.words[0]);
	o->queue = operands.words[0];
	o->producer.verbose = o->common.verbose;
}

void options_free(struct options *o)
{
	buf_free(&o->schedule);
}

