/* dq-put: enqueues messages. */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/base64.h"
#include "options.h"
#include "message/line.h"
#include "redis/nodes.h"
#include "tool/die.h"
#include "tool/durably.h"
#include "tool/input.h"
#include "tool/progress.h"
#include "tool/stop.h"

struct put {
	struct options options;
	struct exchange x;
	struct producer producer;
	bool cut;            /* standard input was not read to its end */
	size_t lines, bytes; /* read so far */
	struct progress progress;
};

/* refuse reports a bad message; the others are put. */
static int refuse(struct put *p, const char *why)
{
	return producer_refuse(&p->producer, p->options.form ? p->lines : 0, why);
}

/* add_record puts one operand, or one record of standard input. It may change the bytes. */
static int add_record(struct put *p, char *bytes, size_t len)
{
	struct line line = {.id = p->options.id,
			    .id_len = p->options.id ? strlen(p->options.id) : 0,
			    .key = p->options.key,
			    .key_len = p->options.key ? strlen(p->options.key) : 0,
			    .payload = bytes, .len = len, .number = p->options.form ? p->lines : 0};
	struct err e;

	if (p->options.form == 't' && line_tsv(bytes, len, &line, &e) < 0)
		return refuse(p, e.text);
	if (p->options.base64 && base64_decode((char *)line.payload, &line.len, &e) < 0)
		return refuse(p, e.text);
	return producer_add(&p->producer, &line);
}

static int before_wait(void *ctx, struct meanwhile *meanwhile, int64_t *until)
{
	return producer_flush(ctx, meanwhile, until);
}

/* next_record puts one record of standard input. Returns 1 to continue, 0 at the end, -1 if the
 * tool cannot continue. It refuses empty input where a payload is expected: under cron, and after a
 * failed command, standard input is empty by mistake. */
static int next_record(struct put *p, struct input *in)
{
	char *record;
	size_t len;
	struct err e;

	if (input_idle(in, before_wait, &p->producer) < 0)
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
	if (!p->options.form && len == 0) {
		refuse(p, "standard input is empty; to put an empty payload give '' as PAYLOAD");
		return 1;
	}
	p->lines++;
	p->bytes += len + 1;
	if (p->lines % 256 == 0)
		progress_tick(&p->progress, (int64_t)p->producer.accepted, (int64_t)p->bytes);
	return add_record(p, record, len) < 0 ? -1 : 1;
}

/* delimiter_of returns the byte that ends a record of standard input;
 * -1: only the end of input does. */
static int delimiter_of(int form)
{
	return form == 0 ? -1 : form == '0' ? '\0' : '\n';
}

/* put_stdin puts each record, until the server refuses a batch for a reason that concerns the
 * next one, too. */
static void put_stdin(struct put *p)
{
	size_t limit = (size_t)p->producer.conf.max_bytes;
	struct input in;
	int more = 1;

	if (p->options.base64 || p->options.form == 't')
		/* for escapes and other fields; add() checks the exact size */
		limit = limit * 2 + 256;
	input_init(&in, STDIN_FILENO, p->x.conf->wait.stop_fd, delimiter_of(p->options.form),
		   limit);
	progress_start(&p->progress, "put", STDIN_FILENO);
	while (more > 0 && p->producer.status < DQ_UNAVAILABLE)
		more = next_record(p, &in);
	progress_end(&p->progress);
	p->cut = p->options.form && more != 0 && p->producer.status >= DQ_UNAVAILABLE &&
		 p->producer.status < DQ_STOPPED;
	input_free(&in);
}

static void put_all(struct put *p)
{
	char **payloads = p->options.payloads;

	if (p->options.bare) {
		add_record(p, (char[]){""}, 0);
		return;
	}
	if (!*payloads) {
		put_stdin(p);
		return;
	}
	for (; *payloads && p->producer.status < DQ_UNAVAILABLE; payloads++) {
		if (!strcmp(*payloads, "-") && payloads < p->options.literal)
			put_stdin(p);
		else if (add_record(p, *payloads, strlen(*payloads)) < 0)
			return;
	}
}

/* account reports how many messages were put if the input was cut or names are missing. It reports
 * nothing if the reader of standard output has closed it. */
static void account(const struct put *p)
{
	const struct producer *r = &p->producer;
	const char *why = NULL;

	if (p->cut)
		why = "the rest of standard input was not read";
	else if (r->unnamed)
		why = "not all names were printed";
	else if (r->status == DQ_STOPPED && stop_signal() != SIGPIPE && !r->reported &&
		 (p->options.form || r->added > 0))
		why = "stopped";
	if (why)
		warn("%s: %s: %zu accepted, %zu refused, %zu unknown", r->queue.name, why,
		     r->accepted, r->refused, r->unknown + r->pipeline.unanswered);
}

int main(int argc, char **argv)
{
	struct put p = {.x = {.first = NULL}};
	const struct options *options = &p.options;
	struct producer *producer = &p.producer;

	options_read(&p.options, argc, argv);
	durably_connect(&options->common, &p.x, opt_caught(stop_catch()));
	producer_start(producer, &options->producer, &p.x, options->common.prefix, options->queue);
	put_all(&p);
	producer_settle(producer);
	account(&p);
	if (options->common.verbose)
		warn("%s: %zu accepted, %zu refused", producer->queue.name, producer->accepted,
		     producer->refused);
	producer_free(producer);
	options_free(&p.options);
	exchange_close(&p.x);
	finish(producer->status);
}
