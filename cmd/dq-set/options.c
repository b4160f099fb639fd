#include "options.h"

#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "queue/shards.h"
#include "tool/die.h"
#include "tool/patience.h"

static const char usage[] =
	"usage: dq-set [-q] [--json] QUEUE\n"
	"       dq-set [-q] QUEUE NAME=VALUE...\n"
	"Prints the settings of a queue, as it takes them, or changes them. A queue that\n"
	"has settings exists, even before its first put.\n"
	"  paused=yes, paused=no    deliver no messages until paused=no\n"
	"  shards=N                 spread the queue, before its first put, over at most\n"
	"                           64 shards, which the nodes of a cluster share\n"
	"      --json               print one JSON object\n"
	"  -q, --quiet              do not report that the queue does not exist yet\n" PATIENCE_USAGE OPT_USAGE;

enum { OPT_JSON = OPT_OWN };

static void set_paused(struct options *o, const char *value)
{
	if (strcmp(value, "yes") != 0 && strcmp(value, "no") != 0)
		die_usage("paused: yes or no");
	if (o->paused)
		die_usage("paused: given twice");
	o->paused = *value == 'y' ? "1" : "0";
}

static void set_shards(struct options *o, const char *value)
{
	int64_t n;
	struct err e;

	if (num_parse(value, 1, SHARDS_MAX, "shards", &n, &e) < 0)
		die_usage("%s", e.text);
	if (o->shards)
		die_usage("shards: given twice");
	o->shards = (int)n;
}

static const struct {
	const char *name;
	void (*set)(struct options *o, const char *value);
} settings[] = {{"paused", set_paused}, {"shards", set_shards}};

static void set(struct options *o, const char *word)
{
	const char *is = strchr(word, '=');
	char shown[80];

	for (size_t i = 0; is && i < sizeof settings / sizeof *settings; i++)
		if (strlen(settings[i].name) == (size_t)(is - word) && !strncmp(word, settings[i].name, (size_t)(is - word))) {
			settings[i].set(o, is + 1);
			return;
		}
	text_shown(shown, sizeof shown, word, strlen(word));
	die_usage(is ? "\"%s\": no such setting: paused, shards" : "\"%s\": no NAME=VALUE", shown);
}

void options_read(struct options *o, int argc, char **argv)
{
	static const struct option options[] = {
		OPT_LONG, {"json", no_argument, NULL, OPT_JSON}, {"quiet", no_argument, NULL, 'q'}, PATIENCE_LONG, OPT_END};
	char **words;
	struct err e;
	int c;

	*o = (struct options){.json = false};
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
