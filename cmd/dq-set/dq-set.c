/* dq-set: prints and changes the settings of a queue. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/text.h"
#include "base/time.h"
#include "options.h"
#include "queue/key_pauses.h"
#include "queue/limit_text.h"
#include "queue/settings.h"
#include "queue/shards.h"
#include "queue/questions.h"
#include "queue/stat.h"
#include "redis/nodes.h"
#include "tool/absent.h"
#include "tool/die.h"
#include "tool/out.h"
#include "tool/stop.h"

/* What the words change, besides the number of shards. */
struct changes {
	bool pauses; /* the queue */
	bool more;   /* limits, or pauses of keys */
	bool sets;   /* of these more than ends of pauses */
	bool timed;  /* a pause, of the queue or of a key, has an end */
};

struct setter {
	struct options options;
	struct changes changes;
	struct exchange x;
	struct queue queue;
	int64_t until;           /* the end of the given pause, ms since 1970 */
	char until_arg[24];      /* the same, for the script */
	struct key_pauses key_pauses; /* that are shown */
	int64_t keys, key_limit; /* of the queue, before */
	enum status status;
};

/* failed reports why something is not done; word says what. */
static void failed(struct setter *s, const char *word, const struct err *e)
{
	s->status = worse(s->status, e->status);
	if (e->status != DQ_STOPPED || e->fate == FATE_UNKNOWN)
		warn("%s: %s%s: %s", s->queue.name,
		     e->fate == FATE_UNKNOWN ? "perhaps not " : "not ", word, e->text);
}

/* --- printing --- */

static void print_limit(const char *name, int64_t limit)
{
	if (limit < 0)
		out_format("%s=none\n", name);
	else
		out_format("%s=%lld\n", name, (long long)limit);
}

static void print_key_pauses(const struct key_pauses *all)
{
	char until[TIME_TEXT] = "yes";

	for (size_t i = 0; i < all->count; i++) {
		if (all->list[i].until >= 0)
			time_format(all->list[i].until, until);
		out_format("%s=%s\n", key_pause_name(&all->list[i]),
			   all->list[i].until < 0 ? "yes" : until);
	}
}

static void print_lines(const struct queue_counts *c, int shards)
{
	char until[TIME_TEXT], rate[LIMIT_TEXT] = "none";

	if (c->pause_until >= 0)
		time_format(c->pause_until, until);
	if (c->rate >= 0)
		limit_rate(c->rate, c->rate_ms, rate);
	out_format("paused=%s\nshards=%d\n",
		   !c->paused          ? "no" :
		   c->pause_until >= 0 ? until :
					 "yes",
		   shards);
	print_limit("max-leased", c->max_leased);
	out_format("rate=%s\n", rate);
	print_limit("max-len", c->max_len);
	out_format("keys=%s\n", keys_word(c->keys == KEYS_NONE ? KEYS_FAIR : c->keys));
	print_limit("key-limit", c->key_limit);
}

static void print_json(const struct queue *q, const struct queue_counts *c,
		       const struct key_pauses *key_pauses)
{
	struct buf text = {NULL, 0, 0};

	if (buf_format(&text, "{\"queue\":\"%s\",\"paused\":%s", q->name,
		       c->paused ? "true" : "false") < 0 ||
	    text_number(&text, "paused_until_ms", c->pause_until) < 0 ||
	    buf_format(&text, ",\"shards\":%d", q->shards) < 0 || limit_members(&text, c) < 0 ||
	    key_pauses_member(&text, key_pauses) < 0)
		die(DQ_TEMPORARY, "out of memory");
	out_format("%.*s}\n", (int)text.len, text.bytes);
	buf_free(&text);
}

static void print(struct setter *s, const struct queue_counts *c)
{
	struct err e;

	if (s->options.json)
		print_json(&s->queue, c, &s->key_pauses);
	else
		print_lines(c, s->queue.shards);
	if (!s->options.json)
		print_key_pauses(&s->key_pauses);
	if (out_flush(&e) < 0)
		s->status = worse(s->status, out_failed(&e));
}

/* check_limit: what is not kept by all shards is no limit of the queue. of: how many have it;
 * again: how it is set. */
static void check_limit(const struct setter *s, const char *name, int of, const char *again)
{
	if (of > 0 && of < s->queue.shards)
		warn("%s: %d of %d shards have %s: dq-set %s %s=%s or %s=%s for all of them",
		     s->queue.name, of, s->queue.shards, name, s->queue.name, name, again, name,
		     !strcmp(name, "keys") ? "fair" : "none");
}

/* check_whole: a setting that did not reach all shards, and a queue that does not exist, look like
 * others in the output. */
static void check_whole(struct setter *s, const struct queue_counts *c)
{
	struct err e;
	int absent = 0;

	if (c->paused && c->open_shards > 0)
		warn("%s: %d of %d shards are paused: dq-set %s paused=yes or paused=no "
		     "for all of them",
		     s->queue.name, c->paused_shards, s->queue.shards, s->queue.name);
	check_limit(s, "max-leased", c->max_leased_shards, "N");
	check_limit(s, "rate", c->rate_shards, "N/DUR");
	check_limit(s, "max-len", c->max_len_shards, "N");
	check_limit(s, "keys", c->keys == KEYS_STOP ? c->stop_shards : c->serial_shards,
		    c->keys == KEYS_STOP ? "serial,stop" : "serial");
	check_limit(s, "key-limit", c->key_limit_shards, "N");
	if (c->counters == 0 && !c->paused)
		absent = absent_say(&s->queue, "dq-put creates it, or a setting", s->options.quiet,
				    &e);
	if (absent < 0)
		failed(s, "shown", &e);
	else if (absent > 0)
		s->status = worse(s->status, DQ_NO);
}

static void show(struct setter *s)
{
	struct queue_counts c;
	struct err e;

	if (queue_stat(&s->queue, &c, &e) < 0 ||
	    (c.key_pauses && queue_key_pauses(&s->queue, c.now, &s->key_pauses, &e) < 0)) {
		failed(s, "shown", &e);
	} else {
		print(s, &c);
		check_whole(s, &c);
	}
	key_pauses_free(&s->key_pauses);
	queue_counts_free(&c);
}

/* --- changing --- */

/* pauses: else it ends a pause, or it was not given. */
static bool pauses(const struct pause *p)
{
	return p->value && *p->value != '0';
}

/* for_a_time: it has an end. */
static bool for_a_time(const struct pause *p)
{
	return p->value && !*p->value;
}

static struct changes changes_of(const struct options *o)
{
	bool limits = limits_changed(&o->limits) > 0;
	struct changes c = {.pauses = pauses(&o->pause), .more = limits || o->keys.count > 0,
			    .sets = limits, .timed = for_a_time(&o->pause)};

	for (size_t i = 0; i < o->keys.count; i++) {
		c.sets = c.sets || pauses(&o->key_pauses[i]);
		c.timed = c.timed || for_a_time(&o->key_pauses[i]);
	}
	return c;
}

static const char *word_of(const struct setter *s)
{
	if (!s->options.pause.value || s->changes.more)
		return "set";
	return s->changes.pauses ? "paused" : "resumed";
}

/* say_pause reports how all shards were paused before. */
static void say_pause(const struct setter *s, const struct settings *before)
{
	const char *now = s->changes.pauses ? "paused" : "resumed", *was = "not paused";
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

/* say_longer reports a pause that does not end when the given one does: it stays. who: "", or the
 * key and a blank. before: its end, less than 0: none. */
static void say_longer(const struct setter *s, const char *who, const char *name, int64_t before,
		       int64_t until)
{
	char later[TIME_TEXT];

	if (before < 0) {
		warn("%s: %sstays paused, as before: %s=no ends that pause", s->queue.name, who,
		     name);
	} else if (before > until) {
		time_format(before, later);
		warn("%s: %sstays paused until %s, as before: %s=no ends that pause", s->queue.name,
		     who, later, name);
	}
}

static void say_all_longer(const struct setter *s, const struct settings *before)
{
	const struct options *o = &s->options;
	char who[NAME_KEY_PART_MAX + 8];

	if (for_a_time(&o->pause))
		say_longer(s, "", "paused", before->pause_end, s->until);
	for (size_t i = 0; i < o->keys.count; i++) {
		const struct key_pause *p = &o->keys.list[i];
		snprintf(who, sizeof who, "key %s ", key_pause_key(p));
		if (for_a_time(&o->key_pauses[i]))
			say_longer(s, who, key_pause_name(p), p->before, p->until);
	}
}

/* say_void: one of two settings makes the other one useless, and one of them was just given. */
static void say_void(const struct setter *s)
{
	const struct settings_wanted *w = &s->options.limits;
	int64_t keys = w->keys != SETTING_STAYS ? w->keys : s->keys,
		limit = w->key_limit != SETTING_STAYS ? w->key_limit : s->key_limit;

	if ((w->keys != SETTING_STAYS || w->key_limit > 0) && limit > 0 &&
	    (keys == KEYS_SERIAL || keys == KEYS_STOP))
		warn("%s: key-limit=%lld has no effect while keys=%s: of a key one message at a "
		     "time (keys=fair, or key-limit=none)",
		     s->queue.name, (long long)limit, keys_word((enum queue_keys)keys));
}

/* say reports how it was: with -v always; else only that the queue is new, because its name may be
 * mistyped, or stays paused for longer. e: of before->unlisted. */
static void say(struct setter *s, const struct settings *before, const struct err *e)
{
	const struct options *o = &s->options;
	const char *name = s->queue.name;

	if (o->common.verbose && o->shards)
		warn("%s: %d shard%s", name, o->shards, o->shards == 1 ? "" : "s");
	if (o->common.verbose && o->pause.value)
		say_pause(s, before);
	if (before->unlisted) {
		s->status = worse(s->status, e->status);
		warn("%s: the queue could not be added to the list of queues: %s", name, e->text);
	}
	if (before->is_new && (o->pause.value || s->changes.more) && !o->quiet)
		warn("%s: no such queue yet: %s", name,
		     s->changes.sets ? "set before its first put" :
		     s->changes.pauses ? "paused before its first put" : "nothing to resume");
	if (!o->quiet) {
		say_all_longer(s, before);
		say_void(s);
	}
}

/* pause_end finds the end of a pause by the server's clock, now. */
static int pause_end(const char *name, const struct pause *p, int64_t now, int64_t *until,
		     struct err *e)
{
	*until = p->ms >= 0 ? now + p->ms : p->until;
	if (*until <= now)
		return err_set(e, DQ_USAGE, "%s: that time has passed", name);
	if (*until > TIME_MAX)
		return err_set(e, DQ_USAGE, "%s: the pause would end after May 2109", name);
	return 0;
}

/* set_pauses: what the script gets. now: if any of them has an end. */
static int set_pauses(struct setter *s, struct settings_wanted *w, int64_t now, struct err *e)
{
	struct options *o = &s->options;
	int status = 0;

	w->paused = o->pause.value;
	if (for_a_time(&o->pause)) {
		status = pause_end("paused", &o->pause, now, &s->until, e);
		snprintf(s->until_arg, sizeof s->until_arg, "%lld", (long long)s->until);
		w->paused = s->until_arg;
	}
	for (size_t i = 0; i < o->keys.count && status == 0; i++) {
		struct key_pause *p = &o->keys.list[i];
		int64_t until = *o->key_pauses[i].value == '1' ? -1 : 0;
		if (for_a_time(&o->key_pauses[i]))
			status = pause_end(key_pause_name(p), &o->key_pauses[i], now, &until, e);
		key_pause_until(p, until);
	}
	w->key_pauses = o->keys.list;
	w->key_pauses_count = o->keys.count;
	return status;
}

/* fits: may all be set? Limits are divided among the shards. */
static int fits(struct setter *s, struct settings_wanted *w, struct err *e)
{
	const struct options *o = &s->options;
	struct queue_counts c = {.now = 0};
	int status = 0;

	/* else the number of shards is known */
	if (s->changes.timed || (s->changes.more && !o->shards)) {
		status = queue_stat(&s->queue, &c, e);
		queue_counts_free(&c);
		s->keys = c.keys;
		s->key_limit = c.key_limit;
	}
	if (status < 0 || settings_fit(w, o->shards ? o->shards : s->queue.shards, e) < 0)
		return -1;
	return set_pauses(s, w, c.now, e);
}

/* set changes the number of shards first: it may be refused, and then nothing is changed. */
static void set(struct setter *s)
{
	const struct options *o = &s->options;
	struct settings_wanted wanted = o->limits;
	struct settings before;
	struct err e;

	if (fits(s, &wanted, &e) < 0)
		failed(s, "set", &e);
	else if (o->shards && shards_create(&s->queue, o->shards, &o->limits, &e) < 0)
		failed(s, "divided into shards", &e);
	else if (settings_set(&s->queue, &wanted, &before, &e) == 0)
		say(s, &before, &e);
	else if (o->pause.value || s->changes.more || e.fate != FATE_SHARDS)
		/* else it was removed, or has other shards, since then */
		failed(s, word_of(s), &e);
}

int main(int argc, char **argv)
{
	struct setter s = {.status = DQ_DONE};

	options_read(&s.options, argc, argv);
	s.changes = changes_of(&s.options);
	opt_connect(&s.options.common, &s.x, opt_caught(stop_catch()));
	queue_init(&s.queue, &s.x, s.options.common.prefix, s.options.queue.queue);
	if (s.options.sets)
		set(&s);
	else
		show(&s);
	key_pauses_free(&s.options.keys);
	free(s.options.key_pauses);
	queue_free(&s.queue);
	exchange_close(&s.x);
	finish(s.status);
}
