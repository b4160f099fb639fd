#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "base/time.h"
#include "queue/shards.h"
#include "tool/die.h"
#include "tool/patience.h"

static const char usage[] =
	"usage: dq-set [-q] [--json] QUEUE\n"
	"       dq-set [-q] QUEUE NAME=VALUE...\n"
	"Prints the settings of a queue, as it takes them, or changes them. A queue that\n"
	"has settings exists, even before its first put.\n"
	"  paused=yes, paused=no    deliver no messages until paused=no\n"
	"  paused=DUR, paused=TIME  deliver no messages for DUR, or until TIME\n"
	"  paused:KEY=...           likewise, of the messages of that key (dq-put -k)\n"
	"  max-leased=N             at most N messages are leased at any time, by all\n"
	"                           consumers together\n"
	"  rate=N/DUR               at most N deliveries begin within any DUR\n"
	"  max-len=N                refuse puts that would make more than N messages\n"
	"  keys=serial, keys=fair   of the messages of a key (dq-put -k) deliver only the\n"
	"                           first, and the next one after it has ended; or let\n"
	"                           keys take turns, the default\n"
	"  keys=serial,stop         as serial, and a dead message stops its key until it\n"
	"                           is redriven or removed\n"
	"  key-limit=N              at most N messages of a key are leased at any time\n"
	"  shards=N                 spread the queue, before its first put, over at most\n"
	"                           64 shards, which the nodes of a cluster share\n"
	"                           none removes max-leased, rate, max-len, key-limit\n"
	"      --json               print one JSON object\n"
	"  -q, --quiet              do not report that the queue does not exist yet, or\n"
	"                           stays paused for longer\n" PATIENCE_USAGE OPT_USAGE;

enum { OPT_JSON = OPT_OWN };

static void once(const char *name, bool given)
{
	if (given)
		die_usage("%s: given twice", name);
}

#define SHOWN 100 /* of a wrong value */

/* is_bare: a number without a unit: 1 and 0 may be meant as yes and no. */
static bool is_bare(const char *value)
{
	return *value && strspn(value, "0123456789.") == strlen(value);
}

/* refuse_pause ends the tool. */
static void refuse_pause(const char *name, const char *value)
{
	char shown[SHOWN];

	die_usage("%s: \"%s\": %s yes, no, a duration such as 10m, or a time such as "
		  "2026-11-21T09:00:00Z, or of words: %s",
		  name, text_shown(shown, sizeof shown, value, strlen(value)),
		  is_bare(value) ? "a number without a unit:" : "not", TIME_OF_WORDS);
}

static void read_pause(const char *name, struct pause *p, const char *value)
{
	struct err e;

	once(name, p->value);
	p->ms = -1;
	if (!strcmp(value, "yes") || !strcmp(value, "no")) {
		p->value = *value == 'y' ? "1" : "0";
		return;
	}
	p->value = "";
	if (is_bare(value) ||
	    (num_duration(value, &p->ms, &e) == 0 ? !p->ms : time_parse(value, &p->until, &e) < 0))
		refuse_pause(name, value);
}

static void set_paused(struct options *o, const char *value)
{
	read_pause("paused", &o->pause, value);
}

/* set_key_paused: word: paused:KEY=VALUE. */
static void set_key_paused(struct options *o, const char *word, const char *is)
{
	const char *key = word + sizeof KEY_PAUSE - 1;
	size_t len = (size_t)(is - key);
	struct key_pause *p;
	struct err e;

	if (!name_key_valid(key, len)) {
		name_key_check(key, len, &e);
		die_usage("paused: %s", e.text);
	}
	if (key_pauses_find(&o->keys, key, len))
		die_usage("%.*s: given twice", (int)(is - word), word);
	if (o->keys.count == KEY_PAUSES_MAX)
		die_usage("paused: more than %d keys", KEY_PAUSES_MAX);
	if (!o->key_pauses)
		o->key_pauses = calloc(KEY_PAUSES_MAX, sizeof *o->key_pauses);
	p = key_pauses_add(&o->keys, key, len, 0);
	if (!o->key_pauses || !p)
		die(DQ_TEMPORARY, "out of memory");
	read_pause(key_pause_name(p), &o->key_pauses[o->keys.count - 1], is + 1);
}

static bool is_none(const char *value)
{
	return !strcmp(value, "none");
}

static void set_limit(const char *name, int64_t *limit, int64_t min, const char *value)
{
	struct err e;

	once(name, *limit != SETTING_STAYS);
	*limit = SETTING_NONE;
	if (!is_none(value) && num_parse(value, min, LIMIT_COUNT_MAX, name, limit, &e) < 0)
		die_usage("%s, or none", e.text);
}

static void set_max_leased(struct options *o, const char *value)
{
	set_limit("max-leased", &o->limits.max_leased, 1, value);
}

static void set_max_len(struct options *o, const char *value)
{
	set_limit("max-len", &o->limits.max_len, 0, value);
}

static void set_key_limit(struct options *o, const char *value)
{
	set_limit("key-limit", &o->limits.key_limit, 1, value);
}

static void set_keys(struct options *o, const char *value)
{
	char shown[SHOWN];

	once("keys", o->limits.keys != SETTING_STAYS);
	o->limits.keys = keys_parse(value);
	if (o->limits.keys < 0)
		die_usage("keys: \"%s\": not fair, serial or serial,stop",
			  text_shown(shown, sizeof shown, value, strlen(value)));
}

static void set_rate(struct options *o, const char *value)
{
	struct settings_wanted *w = &o->limits;
	const char *slash = strchr(value, '/');
	char count[16], span[40], shown[SHOWN];
	struct err e;

	once("rate", w->rate != SETTING_STAYS);
	w->rate = SETTING_NONE;
	if (is_none(value))
		return;
	snprintf(count, sizeof count, "%.*s", slash ? (int)(slash - value) : 0, value);
	/* a unit alone: one of it */
	snprintf(span, sizeof span, "%s%s", slash && strspn(slash + 1, "smhdw") ? "1" : "",
		 slash ? slash + 1 : "");
	if (!slash || (size_t)(slash - value) >= sizeof count ||
	    num_parse(count, 1, LIMIT_RATE_MAX, "rate", &w->rate, &e) < 0 ||
	    num_duration(span, &w->rate_ms, &e) < 0 || w->rate_ms < 1 ||
	    w->rate_ms > LIMIT_SPAN_MAX)
		die_usage("rate: \"%s\": not N/DUR, N from 1 to %d, DUR from 1ms to 31d, or none",
			  text_shown(shown, sizeof shown, value, strlen(value)), LIMIT_RATE_MAX);
}

static void set_shards(struct options *o, const char *value)
{
	int64_t n;
	struct err e;

	if (num_parse(value, 1, SHARDS_MAX, "shards", &n, &e) < 0)
		die_usage("%s", e.text);
	once("shards", o->shards);
	o->shards = (int)n;
}

static const struct {
	const char *name;
	void (*set)(struct options *o, const char *value);
} settings[] = {{"paused", set_paused},
		{"max-leased", set_max_leased},
		{"rate", set_rate},
		{"max-len", set_max_len},
		{"keys", set_keys},
		{"key-limit", set_key_limit},
		{"shards", set_shards}};

static void set(struct options *o, const char *word)
{
	const char *is = strchr(word, '=');
	char shown[80];

	for (size_t i = 0; is && i < sizeof settings / sizeof *settings; i++)
		if (strlen(settings[i].name) == (size_t)(is - word) &&
		    !strncmp(word, settings[i].name, (size_t)(is - word))) {
			settings[i].set(o, is + 1);
			return;
		}
	if (is && !strncmp(word, KEY_PAUSE, sizeof KEY_PAUSE - 1)) {
		set_key_paused(o, word, is);
		return;
	}
	text_shown(shown, sizeof shown, word, strlen(word));
	if (!is)
		die_usage("\"%s\": no NAME=VALUE", shown);
	die_usage("\"%s\": no such setting: paused, paused:KEY, max-leased, rate, max-len, keys, "
		  "key-limit, shards",
		  shown);
}

void options_read(struct options *o, int argc, char **argv)
{
	static const struct option options[] = {
		OPT_LONG, {"json", no_argument, NULL, OPT_JSON}, {"quiet", no_argument, NULL, 'q'},
		PATIENCE_LONG, OPT_END};
	char **words;
	struct err e;
	int c;

	*o = (struct options){.limits = SETTINGS_STAY};
	opt_start(&o->common, "dq-set");
	patience_start(&o->common);
	while ((c = argv_next(argc, argv, OPT_SHORT "q", options)) != -1) {
		if (c == OPT_JSON)
			o->json = true;
		else if (c == 'q')
			o->quiet = true;
		else
			opt_common(&o->common, c, usage);
	}
	words = argv_operands(argc, argv).words;
	if (!*words)
		die_usage("no queue given");
	if (name_parse(*words, strlen(*words), NAME_QUEUE, &o->queue, &e) < 0)
		die_usage("%s", e.text);
	o->sets = *++words != NULL;
	while (*words)
		set(o, *words++);
	if (o->json && o->sets)
		die_usage("--json: not with NAME=VALUE");
}
