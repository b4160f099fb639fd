/* dq-set: prints and changes the settings of a queue. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/text.h"
#include "base/time.h"
#include "options.h"
#include "queue/limit_text.h"
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
	int64_t until;           /* the end of the given pause, ms since 1970 */
	char until_arg[24];      /* the same, for the script */
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

static void print_limit(const char *name, int64_t limit)
{
	if (limit < 0)
		out_format("%s=none\n", name);
	else
		out_format("%s=%lld\n", name, (long long)limit);
}

static void print_lines(const struct queue_counts *c, int shards)
{
	char until[TIME_TEXT], rate[LIMIT_TEXT] = "none";

	if (c->pause_until >= 0)
		time_format(c->pause_until, until);
	if (c->rate >= 0)
		limit_rate(c->rate, c->rate_ms, rate);
	out_format("paused=%s\nshards=%d\n", !c->paused ? "no" : c->pause_until >= 0 ? until : "yes", shards);
	print_limit("max-leased", c->max_leased);
	out_format("rate=%s\n", rate);
	print_limit("max-len", c->max_len);
	out_format("keys=%s\n", keys_word(c->keys == KEYS_NONE ? KEYS_FAIR : c->keys));
	print_limit("key-limit", c->key_limit);
}

static void print_json(const struct queue *q, const struct queue_counts *c)
{
	struct buf text = {NULL, 0, 0};

	if (buf_format(&text, "{\"queue\":\"%s\",\"paused\":%s", q->name, c->paused ? "true" : "false") < 0 ||
	    text_number(&text, "paused_until_ms", c->pause_until) < 0 || buf_format(&text, ",\"shards\":%d", q->shards) < 0 ||
	    limit_members(&text, c) < 0)
		die(DQ_TEMPORARY, "out of memory");
	out_format("%.*s}\n", (int)text.len, text.bytes);
	buf_free(&text);
}

static void print(struct setter *s, const struct queue_counts *c)
{
	struct err e;

	if (s->options.json)
		print_json(&s->queue, c);
	else
		print_lines(c, s->queue.shards);
	if (out_flush(&e) < 0)
		s->status = worse(s->status, out_failed(&e));
}

/* check_limit: what is not kept by all shards is no limit of the queue. of: how many have it; again: how it is set. */
static void check_limit(const struct setter *s, const char *name, int of, const char *again)
{
	if (of > 0 && of < s->queue.shards)
		warn("%s: %d of %d shards have %s: dq-set %s %s=%s or %s=%s for all of them", s->queue.name, of, s->queue.shards, name,
		     s->queue.name, name, again, name, !strcmp(name, "keys") ? "fair" : "none");
}

/* check_whole: a setting that did not reach all shards, and a queue that does not exist, look like others in the output. */
static void check_whole(struct setter *s, const struct queue_counts *c)
{
	struct err e;
	int absent = 0;

	if (c->paused && c->open_shards > 0)
		warn("%s: %d of %d shards are paused: dq-set %s paused=yes or paused=no for all of them", s->queue.name, c->paused_shards,
		     s->queue.shards, s->queue.name);
	check_limit(s, "max-leased", c->max_leased_shards, "N");
	check_limit(s, "rate", c->rate_shards, "N/DUR");
	check_limit(s, "max-len", c->max_len_shards, "N");
	check_limit(s, "keys", c->keys == KEYS_STOP ? c->stop_shards : c->serial_shards, c->keys == KEYS_STOP ? "serial,stop" : "serial");
	check_limit(s, "key-limit", c->key_limit_shards, "N");
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

static bool pauses(const struct options *o)
{
	return o->paused && *o->paused != '0';
}

static bool has_limits(const struct options *o)
{
	return limits_changed(&o->limits) > 0;
}

static const char *word_of(const struct options *o)
{
	return !o->paused || has_limits(o) ? "set" : pauses(o) ? "paused" : "resumed";
}

/* say_pause reports how all shards were paused before. */
static void say_pause(const struct setter *s, const struct settings *before)
{
	const char *now = pauses(&s->options) ? "paused" : "resumed", *was = "not paused";
	char until[TIME_TEXT];

	if (before->paused_shards)
		was = before->paused_shards < s->queue.shards ? "partly paused" : "paused";
	if (before->pause_end > 0) {
		time_format(before->pause_end, until);
		warn("%s: %s: it was %s until %s", s->queue.name, now, was, until);
	} else {
		warn("%s: %s: it was %s", s->queue.name, now, was);
	}
}

static bool pauses_for_a_time(const struct options *o)
{
	return o->paused && !*o->paused;
}

/* say_longer reports a pause that does not end when the given one does: it stays. */
static void say_longer(const struct setter *s, const struct settings *before)
{
	const char *name = s->queue.name;
	char later[TIME_TEXT];

	if (before->pause_end < 0) {
		warn("%s: stays paused, as before: paused=no ends that pause", name);
	} else if (before->pause_end > s->until) {
		time_format(before->pause_end, later);
		warn("%s: stays paused until %s, as before: paused=no ends that pause", name, later);
	}
}

/* say reports how it was: with -v always; else only that the queue is new, because its name may be mistyped, or stays paused for longer.
 * e: of before->unlisted. */
static void say(struct setter *s, const struct settings *before, const struct err *e)
{
	const struct options *o = &s->options;
	const char *name = s->queue.name;

	if (o->common.verbose && o->shards)
		warn("%s: %d shard%s", name, o->shards, o->shards == 1 ? "" : "s");
	if (o->common.verbose && o->paused)
		say_pause(s, before);
	if (before->unlisted) {
		s->status = worse(s->status, e->status);
		warn("%s: the queue could not be added to the list of queues: %s", name, e->text);
	}
	if (before->is_new && (o->paused || has_limits(o)) && !o->quiet)
		warn("%s: no such queue yet: %s", name,
		     has_limits(o) ? "set before its first put" : pauses(o) ? "paused before its first put" : "nothing to resume");
	if (pauses_for_a_time(o) && !o->quiet)
		say_longer(s, before);
}

/* pause_until finds the end of the pause by the server's clock, now. */
static int pause_until(struct setter *s, int64_t now, struct err *e)
{
	const struct options *o = &s->options;

	s->until = o->pause_ms >= 0 ? now + o->pause_ms : o->pause_until;
	if (s->until <= now)
		return err_set(e, DQ_USAGE, "paused: that time has passed");
	if (s->until > TIME_MAX)
		return err_set(e, DQ_USAGE, "paused: the pause would end after May 2109");
	snprintf(s->until_arg, sizeof s->until_arg, "%lld", (long long)s->until);
	return 0;
}

/* fits: may all be set? Limits are divided among the shards. */
static int fits(struct setter *s, struct settings_wanted *w, struct err *e)
{
	const struct options *o = &s->options;
	struct queue_counts c = {.now = 0};
	int status = 0;

	if (pauses_for_a_time(o) || (has_limits(o) && !o->shards)) { /* else the number of shards is known */
		status = queue_stat(&s->queue, &c, e);
		queue_counts_free(&c);
	}
	if (status < 0 || settings_fit(w, o->shards ? o->shards : s->queue.shards, e) < 0)
		return -1;
	if (!pauses_for_a_time(o))
		return 0;
	w->paused = s->until_arg;
	return pause_until(s, c.now, e);
}

/* set changes the number of shards first: it may be refused, and then nothing is changed. */
static void set(struct setter *s)
{
	const struct options *o = &s->options;
	struct settings_wanted wanted = o->limits;
	struct settings before;
	struct err e;

	wanted.paused = o->paused;
	if (fits(s, &wanted, &e) < 0)
		failed(s, "set", &e);
	else if (o->shards && shards_create(&s->queue, o->shards, &o->limits, &e) < 0)
		failed(s, "divided into shards", &e);
	else if (settings_set(&s->queue, &wanted, &before, &e) == 0)
		say(s, &before, &e);
	else if (o->paused || has_limits(o) || e.fate != FATE_SHARDS) /* else it was removed, or has other shards, since it was divided */
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
