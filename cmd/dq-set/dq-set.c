/* dq-set: prints and changes the settings of a queue. */
#include "base/buf.h"
#include "options.h"
#include "queue/settings.h"
#include "queue/shards.h"
#include "queue/whole.h"
#include "redis/nodes.h"
#include "tool/absent.h"
#include "tool/die.h"
#include "tool/out.h"
#include "tool/stop.h"

struct setter {
	struct options options;
	struct exchange x;
	struct queue queue;
	enum status status;
};

/* failed reports why something is not done; word says what. */
static void failed(struct setter *s, const char *word, const struct err *e)
{
	s->status = worse(s->status, e->status);
	if (e->status != DQ_STOPPED || e->fate == FATE_UNKNOWN)
		warn("%s: %s%s: %s", s->queue.name, e->fate == FATE_UNKNOWN ? "perhaps not " : "not ", word, e->text);
}

/* --- printing --- */

static void print(struct setter *s, const struct queue_counts *c)
{
	const struct queue *q = &s->queue;
	struct err e;

	if (s->options.json)
		out_format("{\"queue\":\"%s\",\"paused\":%s,\"shards\":%d}\n", q->name, c->paused ? "true" : "false", q->shards);
	else
		out_format("paused=%s\nshards=%d\n", c->paused ? "yes" : "no", q->shards);
	if (out_flush(&e) < 0)
		s->status = worse(s->status, out_failed(&e));
}

/* check_whole: a pause that did not reach all shards, and a queue that does not exist, look like others in the output. */
static void check_whole(struct setter *s, const struct queue_counts *c)
{
	struct err e;
	int absent = 0;

	if (c->paused && c->open_shards > 0)
		warn("%s: %d of %d shards are paused: dq-set %s paused=yes or paused=no for all of them", s->queue.name, c->paused_shards,
		     s->queue.shards, s->queue.name);
	if (c->counters == 0 && !c->paused)
		absent = absent_say(&s->queue, "dq-put creates it, or a setting", s->options.quiet, &e);
	if (absent < 0)
		failed(s, "shown", &e);
	else if (absent > 0)
		s->status = worse(s->status, DQ_NO);
}

static void show(struct setter *s)
{
	struct queue_counts c;
	struct err e;

	if (queue_stat(&s->queue, &c, &e) < 0) {
		failed(s, "shown", &e);
	} else {
		print(s, &c);
		check_whole(s, &c);
	}
	queue_counts_free(&c);
}

/* --- changing --- */

static const char *word_of(const struct options *o)
{
	return !o->paused ? "set" : *o->paused == '1' ? "paused" : "resumed";
}

/* say reports how it was: with -v always; else only that the queue is new, because its name may be mistyped. e: of before->unlisted. */
static void say(struct setter *s, const struct settings *before, const struct err *e)
{
	const struct options *o = &s->options;
	const char *name = s->queue.name;
	int was = before->paused_shards;

	if (o->common.verbose && o->shards)
		warn("%s: %d shard%s", name, o->shards, o->shards == 1 ? "" : "s");
	if (o->common.verbose && o->paused)
		warn("%s: %s: it was %s", name, word_of(o), !was ? "not paused" : was < s->queue.shards ? "partly paused" : "paused");
	if (before->unlisted) {
		s->status = worse(s->status, e->status);
		warn("%s: the queue could not be added to the list of queues: %s", name, e->text);
	}
	if (before->is_new && o->paused && !o->quiet)
		warn("%s: no such queue yet: %s", name, *o->paused == '1' ? "paused before its first put" : "nothing to resume");
}

/* set changes the number of shards first: it may be refused, and then nothing is changed. */
static void set(struct setter *s)
{
	const struct options *o = &s->options;
	struct settings before;
	struct err e;

	if (o->shards && shards_create(&s->queue, o->shards, &e) < 0)
		failed(s, "divided into shards", &e);
	else if (settings_set(&s->queue, o->paused, &before, &e) == 0)
		say(s, &before, &e);
	else if (o->paused || e.fate != FATE_SHARDS) /* else it was removed, or has other shards, since it was divided */
		failed(s, word_of(o), &e);
}

int main(int argc, char **argv)
{
	struct setter s = {.status = DQ_DONE};

	options_read(&s.options, argc, argv);
	opt_connect(&s.options.common, &s.x, opt_caught(stop_catch()));
	queue_init(&s.queue, &s.x, s.options.common.prefix, s.options.queue.queue);
	if (s.options.sets)
		set(&s);
	else
		show(&s);
	queue_free(&s.queue);
	exchange_close(&s.x);
	finish(s.status);
}
