/* dq-dump: writes queues as JSON, an object a line, for dq-load. */
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/num.h"
#include "base/text.h"
#include "message/members.h"
#include "queue/key_pauses.h"
#include "queue/limit_text.h"
#include "queue/shards.h"
#include "message/walk.h"
#include "queue/questions.h"
#include "queue/stat.h"
#include "redis/nodes.h"
#include "redis/current.h"
#include "redis/replica.h"
#include "tool/absent.h"
#include "tool/die.h"
#include "tool/notice.h"
#include "tool/opt.h"
#include "tool/out.h"
#include "tool/patience.h"
#include "tool/progress.h"
#include "tool/queues.h"
#include "tool/stop.h"

static const char usage[] =
	"usage: dq-dump [-q] [QUEUE...]\n"
	"Writes all messages of each QUEUE, or of all queues, with all their attributes,\n"
	"for dq-load: one JSON object per line. The queues do not change. For an exact\n"
	"copy stop the producers and pause the queues first (dq-set QUEUE paused=yes).\n"
	"  -q, --quiet              do not report queues that do not exist yet\n"
	PATIENCE_USAGE OPT_USAGE;

struct dump {
	struct opt opt;
	struct exchange x;
	struct queue_set queues;
	bool named, quiet;
	int64_t number;            /* of this dump; no other dump has the same */
	const struct queue *queue; /* in work */
	long long count, messages, reserved; /* count: queues; the others: of the queue in work */
	long long all_messages, all_reserved;
	struct buf line;
	struct progress progress;
	enum status status;
};

/* emit writes the line that was added. failed < 0: only a part was added. */
static int emit(struct dump *d, int failed)
{
	struct err e;

	if (failed < 0) {
		warn("out of memory");
		d->status = worse(d->status, DQ_TEMPORARY);
		return -1;
	}
	if (out_write(d->line.bytes, d->line.len, &e) < 0) {
		d->status = worse(d->status, out_failed(&e));
		return -1;
	}
	d->line.len = 0;
	return 0;
}

/* add_message: a body without a state is written as dq-gc --repair would repair it. */
static int add_message(struct dump *d, const char *id, struct shown m)
{
	if (!m.state[0]) {
		m.state = "ready";
		m.at = m.now;
	}
	if (buf_text(&d->line, "{\"kind\":\"message\",") < 0 ||
	    members_shown(&d->line, d->queue->name, id, &m) < 0 ||
	    members_options(&d->line, &m) < 0 || buf_char(&d->line, ',') < 0 ||
	    text_members(&d->line, "payload", m.payload, m.payload_len) < 0)
		return -1;
	return buf_text(&d->line, "}\n");
}

static int on_message(void *ctx, const char *id, const struct shown *m)
{
	struct dump *d = ctx;

	d->messages++;
	if (d->messages % 256 == 0)
		progress_tick(&d->progress, d->all_messages + d->messages, 0);
	if (stop_signal()) {
		d->status = worse(d->status, DQ_STOPPED);
		return -1;
	}
	return emit(d, add_message(d, id, *m));
}

static int on_reserved(void *ctx, const char *id, int64_t until, const struct outcome *o)
{
	struct dump *d = ctx;
	int failed = buf_format(&d->line,
				"{\"kind\":\"reserved\",\"queue\":\"%s\",\"id\":\"%s\","
				"\"reserved_until_ms\":%lld",
				d->queue->name, id, (long long)until);

	d->reserved++;
	return emit(d, failed < 0 || outcome_members(&d->line, o) < 0 ? -1 :
									buf_text(&d->line, "}\n"));
}

static int add_queue(struct dump *d, const struct queue *q, const struct queue_counts *c,
		     const struct key_pauses *key_pauses, int64_t token)
{
	struct buf *to = &d->line;

	if (buf_format(to,
		       "{\"kind\":\"queue\",\"queue\":\"%s\",\"dump\":%lld,\"now_ms\":%lld,"
		       "\"paused\":%s",
		       q->name, (long long)d->number, (long long)c->now,
		       c->paused ? "true" : "false") < 0 ||
	    text_number(to, "paused_until_ms", c->paused ? c->pause_until : -1) < 0 ||
	    limit_members(to, c) < 0)
		return -1;
	if (key_pauses->count && key_pauses_member(to, key_pauses) < 0)
		return -1;
	return buf_format(to, ",\"shards\":%d,\"token\":%lld}\n", q->shards, (long long)token);
}

/* begin_queue returns 1 to continue, 0 if the queue does not exist, -1 on error. */
static int begin_queue(struct dump *d, struct queue *q, struct err *e)
{
	struct queue_counts c;
	struct key_pauses key_pauses = {NULL, 0, 0};
	int64_t token = 0;
	int absent = 0, status = queue_stat(q, &c, e);

	if (status == 0)
		status = queue_token(q, &token, e);
	if (status == 0 && c.key_pauses)
		status = queue_key_pauses(q, c.now, &key_pauses, e);
	queue_counts_free(&c);
	if (status < 0) {
		key_pauses_free(&key_pauses);
		return -1;
	}
	if (c.counters == 0 && !c.paused)
		absent = absent_say(q, ABSENT_PUT,
				    d->quiet || !d->named || replica_stale(&q->x->nodes), e);
	if (absent > 0 && d->named)
		d->status = worse(d->status, DQ_NO);
	if (absent != 0)
		return absent < 0 ? -1 : 0; /* it has no settings either */
	status = emit(d, add_queue(d, q, &c, &key_pauses, token));
	key_pauses_free(&key_pauses);
	return status < 0 ? err_reported(e) : 1;
}

/* The messages precede the reserved ids: a reserved id may be that of a message, and dq-load
 * refuses a message whose id it has just reserved. */
static int dump_shard(void *ctx, struct queue *q, struct err *e)
{
	struct dump *d = ctx;
	int status = walk_messages(q, on_message, d, e);

	if (status == 0)
		status = walk_reserved(q, false, on_reserved, d, e);
	if (q->foreign)
		d->status = worse(d->status, DQ_NO);
	notice_say(q);
	return status;
}

static int dump_queue(struct dump *d, struct queue *q, struct err *e)
{
	int64_t token;
	int begun = begin_queue(d, q, e);

	if (begun <= 0)
		return begun;
	if (shards_each(q, dump_shard, d, e) < 0 || queue_token(q, &token, e) < 0)
		return -1;
	if (emit(d, buf_format(&d->line,
			       "{\"kind\":\"end\",\"queue\":\"%s\",\"dump\":%lld,\"token\":%lld,"
			       "\"messages\":%lld,\"reserved\":%lld}\n",
			       q->name, (long long)d->number, (long long)token, d->messages,
			       d->reserved)) < 0)
		return err_reported(e);
	d->count++;
	return 0;
}

static int visit_queue(void *ctx, struct queue *q)
{
	struct dump *d = ctx;
	struct err e;
	int status;

	d->queue = q;
	d->messages = d->reserved = 0;
	status = dump_queue(d, q, &e);
	d->all_messages += d->messages;
	d->all_reserved += d->reserved;
	if (status == 0)
		return 0;
	if (e.status == DQ_REPORTED)
		return -1;
	d->status = worse(d->status, e.status);
	if (e.status != DQ_STOPPED)
		warn("%s: not dumped: %s", q->name, e.text);
	return nodes_left(&d->x.nodes) && e.status != DQ_STOPPED ? 0 : -1;
}

/* dump writes the queues; only its last line states that the dump is complete. */
static void dump(struct dump *d, char **names)
{
	enum status status;
	struct err e;

	if (current_await(&d->x, &e) < 0 || replica_ask(&d->x.nodes, &e) < 0)
		die(e.status, "%s", e.text);
	status = queues_each(&d->queues, names, visit_queue, d);
	d->status = worse(d->status, status);
	if (replica_stale(&d->x.nodes)) {
		warn("%s", replica_stale(&d->x.nodes));
		d->status = worse(d->status, DQ_TEMPORARY);
	}
	if (d->status <= DQ_NO)
		emit(d,
		     buf_format(&d->line,
				"{\"kind\":\"done\",\"dump\":%lld,\"queues\":%lld,"
				"\"messages\":%lld,\"reserved\":%lld}\n",
				(long long)d->number, d->count, d->all_messages, d->all_reserved));
}

static char **parse(struct dump *d, int argc, char **argv)
{
	static const struct option options[] = {OPT_LONG, {"quiet", no_argument, NULL, 'q'},
						PATIENCE_LONG, OPT_END};
	char **names;
	int c;

	while ((c = argv_next(argc, argv, OPT_SHORT "q", options)) != -1) {
		if (c == 'q')
			d->quiet = true;
		else
			opt_common(&d->opt, c, usage);
	}
	names = argv_operands(argc, argv).words;
	d->named = *names != NULL;
	opt_queues(names);
	return names;
}

int main(int argc, char **argv)
{
	struct dump d = {.status = DQ_DONE};
	char **names;

	opt_start(&d.opt, "dq-dump");
	patience_start(&d.opt);
	names = parse(&d, argc, argv);
	opt_connect(&d.opt, &d.x, opt_caught(stop_catch()));
	d.number = clock_wall() * 1000 + getpid() % 1000;
	queue_set_init(&d.queues, &d.x, d.opt.prefix);
	progress_start(&d.progress, "dumped", -1);
	dump(&d, names);
	progress_end(&d.progress);
	if (d.opt.verbose)
		warn("%lld messages and %lld reserved ids of %lld queue%s dumped", d.all_messages,
		     d.all_reserved, d.count, d.count == 1 ? "" : "s");
	buf_free(&d.line);
	queue_set_free(&d.queues);
	exchange_close(&d.x);
	finish(d.status);
}
