/* dq-put: enqueues messages. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/num.h"
#include "producer.h"
#include "queue/line.h"
#include "tool/die.h"
#include "tool/input.h"
#include "tool/opt.h"
#include "tool/progress.h"
#include "tool/stop.h"

static const char usage[] =
	"usage: dq-put [OPTION...] QUEUE [[--] PAYLOAD...]\n"
	"       dq-put [OPTION...] -l | -0 | --tsv QUEUE\n"
	"Puts each PAYLOAD, or all of standard input as one, into QUEUE; prints QUEUE/ID\n"
	"of each message that Redis has accepted. Empty standard input is refused; '' is\n"
	"an empty payload.\n"
	"  -d, --delay DUR          due after DUR: 500ms 90s 1.5h 1h30m 2d 1w; a bare\n"
	"                           number is seconds (0)\n"
	"  -a, --at TIME            due at @EPOCH[.frac], @EPOCHms, or RFC 3339 with a\n"
	"                           zone: 2026-11-21T09:00:00+01:00\n"
	"  -i, --id ID              the message's id (default: a generated ULID)\n"
	"  -e, --if-exists MODE     if the id exists: fail (exit 1), keep, replace,\n"
	"                           earlier, later (fail)\n"
	"      --existing           create no message: exit 1 if the id does not exist\n"
	"                           (-e replace, earlier, later)\n"
	"      --unique-for DUR     the id stays reserved for DUR after an ack\n"
	"  -t, --ttr DUR            time to run: the length of a lease (60s)\n"
	"  -r, --tries N            deliveries until it is dead (one more than a list of\n"
	"                           -b has waits, else 5)\n"
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
	"  -q, --quiet              print no names\n" OPT_USAGE;

enum { OPT_MAX_BYTES = OPT_OWN, OPT_TSV, OPT_BASE64, OPT_UNIQUE_FOR, OPT_EXISTING };

struct put {
	struct opt opt;
	struct conn conn;
	struct producer producer;
	struct buf backoff;
	const char *id;
	int form;     /* of standard input: 0 = whole, l, 0, or t for --tsv */
	bool base64, cut; /* cut: standard input was not read to its end */
	char **payloads, **literal; /* literal: behind --, not even "-" is anything else */
	bool bare;    /* only the due time of a message changes: there is no payload */
	size_t lines, bytes; /* read so far */
	struct progress progress;
};

static void parse_due(struct put *p, const char *name, const char *text)
{
	struct err e;

	if (p->producer.due[0])
		die_usage("%s: only one of -d and -a", name);
	if ((name[1] == 'd' ? line_delay(text, p->producer.due, &e) : line_time(text, p->producer.due, &e)) < 0)
		die_usage("%s: %s", name, e.text);
}

static void parse_mode(struct put *p, const char *text)
{
	static const char *const modes[] = {"fail", "keep", "replace", "earlier", "later"};

	for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
		if (!strcmp(text, modes[i]))
			p->producer.mode = modes[i];
	if (strcmp(text, p->producer.mode))
		die_usage("-e: one of fail, keep, replace, earlier, later");
}

static void parse_form(struct put *p, int form)
{
	if (p->form && p->form != form)
		die_usage("only one of -l, -0 and --tsv");
	p->form = form;
	p->producer.unit = form == '0' ? "record" : "line";
}

/* parse_message reads the options that are kept with the message. */
static bool parse_message(struct put *p, int c)
{
	struct err e;

	switch (c) {
	case 't':
		p->producer.message.ttr = opt_duration("-t", optarg);
		if (p->producer.message.ttr < MESSAGE_TTR_MIN)
			die_usage("-t: a lease is at least 1ms");
		return true;
	case 'r':
		p->producer.message.tries = opt_number("-r", optarg, 1, MESSAGE_TRIES_MAX);
		return true;
	case 'b':
		p->backoff.len = 0;
		if (message_backoff(optarg, &p->backoff, &e) < 0)
			die_usage("-b: %s", e.text);
		p->producer.message.backoff = p->backoff.bytes;
		return true;
	case 'p':
		p->producer.message.priority = opt_number("-p", optarg, 0, 255);
		return true;
	case 'x':
		p->producer.expires = opt_duration("-x", optarg);
		return true;
	case OPT_UNIQUE_FOR:
		p->producer.message.unique = opt_duration("--unique-for", optarg);
		return true;
	default:
		return false;
	}
}

static void parse_option(struct put *p, int c)
{
	struct err e;

	switch (c) {
	case 'd':
		parse_due(p, "-d", optarg);
		break;
	case 'a':
		parse_due(p, "-a", optarg);
		break;
	case 'i':
		if (name_id_check(optarg, strlen(optarg), &e) < 0)
			die_usage("-i: %s", e.text);
		p->id = optarg;
		break;
	case 'e':
		parse_mode(p, optarg);
		break;
	case 'l':
	case '0':
	case OPT_TSV:
		parse_form(p, c == OPT_TSV ? 't' : c);
		break;
	case OPT_BASE64:
		p->base64 = true;
		break;
	case OPT_EXISTING:
		p->producer.existing = true;
		break;
	case 'q':
		p->producer.quiet = true;
		break;
	case OPT_MAX_BYTES:
		if (num_size(optarg, 0, QUEUE_PAYLOAD_HARD_MAX, "--max-bytes", &p->producer.max_bytes, &e) < 0)
			die_usage("%s", e.text);
		break;
	default:
		if (!parse_message(p, c))
			opt_common(&p->opt, c, usage);
	}
}

/* check: do the options agree with each other, and with the number of payloads? */
static void check(struct put *p, int payloads)
{
	if (p->form && payloads > 0)
		die_usage("-l, -0 and --tsv read standard input and take no PAYLOAD");
	if (p->producer.existing && strcmp(p->producer.mode, "replace") && strcmp(p->producer.mode, "earlier") &&
	    strcmp(p->producer.mode, "later"))
		die_usage("--existing: only with -e replace, earlier or later");
	if (p->producer.existing && !p->id && p->form != 't')
		die_usage("--existing: which? -i ID, or --tsv");
	if (p->id && (p->form || payloads > 1))
		die_usage("-i: one id, but several messages");
	p->bare = p->producer.existing && strcmp(p->producer.mode, "replace") && !p->form && payloads == 0;
	if (payloads == 0 && !p->form && !p->bare && isatty(STDIN_FILENO))
		die_usage("no payload given, and standard input is a terminal");
	if (!p->producer.due[0])
		strcpy(p->producer.due, "0");
	if (p->producer.message.tries == 0)
		p->producer.message.tries = message_tries(p->producer.message.backoff);
}

/* parse returns the queue. */
static const char *parse(struct put *p, int argc, char **argv)
{
	static const struct option options[] = {
		OPT_LONG, {"delay", required_argument, NULL, 'd'}, {"at", required_argument, NULL, 'a'},
		{"id", required_argument, NULL, 'i'}, {"if-exists", required_argument, NULL, 'e'},
		{"unique-for", required_argument, NULL, OPT_UNIQUE_FOR},
		{"existing", no_argument, NULL, OPT_EXISTING}, {"ttr", required_argument, NULL, 't'},
		{"tries", required_argument, NULL, 'r'}, {"backoff", required_argument, NULL, 'b'},
		{"priority", required_argument, NULL, 'p'}, {"expires", required_argument, NULL, 'x'},
		{"lines", no_argument, NULL, 'l'}, {"null", no_argument, NULL, '0'}, {"tsv", no_argument, NULL, OPT_TSV},
		{"base64", no_argument, NULL, OPT_BASE64}, {"max-bytes", required_argument, NULL, OPT_MAX_BYTES},
		{"quiet", no_argument, NULL, 'q'}, OPT_END};
	struct operands operands;
	int c;

	while ((c = argv_next(argc, argv, OPT_SHORT "d:a:i:e:t:r:b:p:x:l0q", options)) != -1)
		parse_option(p, c);
	operands = argv_operands(argc, argv);
	if (operands.count < 1)
		die_usage("no queue given");
	p->payloads = operands.words + 1;
	p->literal = operands.words + operands.literal;
	check(p, operands.count - 1);
	return opt_queue(operands.words[0]);
}

/* refuse: one message is not what it should be; the others are none the worse. */
static int refuse(struct put *p, const char *why)
{
	return producer_refuse(&p->producer, p->form ? p->lines : 0, why);
}

/* add_record puts one operand, or one record of standard input, which it may change. */
static int add_record(struct put *p, char *bytes, size_t len)
{
	struct line entry = {.id = p->id, .id_len = p->id ? strlen(p->id) : 0, .payload = bytes, .len = len,
			      .line = p->form ? p->lines : 0};
	struct err e;

	if (p->form == 't' && line_tsv(bytes, len, &entry, &e) < 0)
		return refuse(p, e.text);
	if (p->base64) {
		long n = line_base64((char *)entry.payload, entry.len, &e);
		if (n < 0)
			return refuse(p, e.text);
		entry.len = (size_t)n;
	}
	return producer_add(&p->producer, &entry);
}

/* next_record puts one record of standard input. 1 go on, 0 the end, -1 no going on. Nothing where a payload was to be read is
 * refused: under cron, and after a command that failed, standard input is empty by mistake. */
static int next_record(struct put *p, struct input *in)
{
	char *record;
	size_t len;
	struct err e;

	if (input_waits(in) && producer_settle(&p->producer) < 0)
		return -1;
	switch (input_next(in, &record, &len, &e)) {
	case INPUT_END:
		return 0;
	case INPUT_ERROR:
		if (e.status != DQ_STOPPED)
			warn("standard input: %s", e.text);
		p->producer.status = worse(p->producer.status, e.status);
		return -1;
	case INPUT_TOO_LONG:
		p->lines++;
		refuse(p, "the payload is over the limit (--max-bytes)");
		return 1;
	case INPUT_RECORD:
		break;
	}
	if (!p->form && len == 0) {
		refuse(p, "standard input is empty; to put an empty payload give '' as PAYLOAD");
		return 1;
	}
	p->lines++;
	p->bytes += len + 1;
	if (p->lines % 256 == 0)
		progress_tick(&p->progress, (int64_t)p->producer.accepted, (int64_t)p->bytes);
	return add_record(p, record, len) < 0 ? -1 : 1;
}

/* What ends a record of standard input; -1: nothing but its end does. */
static int delimiter_of(int form)
{
	return form == 0 ? -1 : form == '0' ? '\0' : '\n';
}

/* put_stdin puts each record, until one batch was refused for a reason that will meet the next one too. */
static void put_stdin(struct put *p)
{
	size_t limit = (size_t)p->producer.max_bytes;
	struct input in;
	int more = 1;

	if (p->base64 || p->form == 't')
		limit = limit * 2 + 256; /* escapes and the other fields; add() has the last word */
	input_init(&in, STDIN_FILENO, p->conn.conf.wait.stop_fd, delimiter_of(p->form), limit);
	progress_start(&p->progress, "put", STDIN_FILENO);
	while (more > 0 && p->producer.status < DQ_UNAVAILABLE)
		more = next_record(p, &in);
	progress_end(&p->progress);
	p->cut = p->form && more != 0 && p->producer.status >= DQ_UNAVAILABLE && p->producer.status < DQ_STOPPED;
	input_free(&in);
}

static void put_all(struct put *p)
{
	char **payloads = p->payloads;

	if (p->bare) {
		add_record(p, (char[]){""}, 0);
		return;
	}
	if (!*payloads) {
		put_stdin(p);
		return;
	}
	for (; *payloads && p->producer.status < DQ_UNAVAILABLE; payloads++) {
		if (!strcmp(*payloads, "-") && payloads < p->literal)
			put_stdin(p);
		else if (add_record(p, *payloads, strlen(*payloads)) < 0)
			return;
	}
}

/* account: where the end came early, or names are missing, how many were put. Nobody is left to tell when the reader went. */
static void account(const struct put *p)
{
	const struct producer *r = &p->producer;
	const char *why = NULL;

	if (p->cut)
		why = "the rest of standard input was not read";
	else if (r->unnamed)
		why = "not all names were printed";
	else if (r->status == DQ_STOPPED && stop_signal() != SIGPIPE && !r->told && (p->form || r->added > 0))
		why = "stopped";
	if (why)
		warn("%s: %s: %zu accepted, %zu refused, %zu unknown", r->queue.name, why, r->accepted, r->refused,
		     r->unknown + r->pipeline.unanswered);
}

int main(int argc, char **argv)
{
	struct put p = {.producer = {.mode = "fail", .expires = -1, .max_bytes = QUEUE_PAYLOAD_MAX,
				     .message = {.ttr = QUEUE_TTR_MS, .priority = QUEUE_PRIORITY}}};
	struct producer *producer = &p.producer;
	const char *queue;

	opt_start(&p.opt, "dq-put");
	queue = parse(&p, argc, argv);
	opt_connect(&p.opt, &p.conn, opt_caught(stop_catch()));
	producer->conn = &p.conn;
	producer->verbose = p.opt.verbose;
	producer_start(producer, p.opt.prefix, queue);
	put_all(&p);
	if (p.conn.redis)
		producer_settle(producer);
	account(&p);
	if (p.opt.verbose)
		warn("%s: %zu accepted, %zu refused", producer->queue.name, producer->accepted, producer->refused);
	producer_free(producer);
	buf_free(&p.backoff);
	conn_close(&p.conn);
	finish(producer->status);
}
