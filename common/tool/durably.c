#include "tool/durably.h"

#include <stdlib.h>

#include "redis/confirm.h"
#include "redis/url_text.h"
#include "tool/die.h"

static void read_replicas(struct opt *o, const char *name, const char *text)
{
	struct err e;

	if (durable_parse(text, name, &o->durable, &e) < 0)
		die_usage("%s", e.text);
}

void durably_start(struct opt *o, const char *tool)
{
	static const char name[] = "DQ_WAIT_REPLICAS";
	const char *value;

	opt_start(o, tool);
	value = getenv(name);
	if (value && value[0])
		read_replicas(o, name, value);
}

bool durably_option(struct opt *o, int c, const char *usage)
{
	switch (c) {
	case OPT_WAIT_REPLICAS:
		read_replicas(o, "--wait-replicas", optarg);
		return true;
	case OPT_FSYNC:
		o->durable.fsync = true;
		return true;
	default:
		return opt_common(o, c, usage);
	}
}

void durably_connect(const struct opt *o, struct exchange *x, int stop_fd)
{
	char shown[URL_TEXT];
	struct err e;

	opt_connect(o, x, stop_fd);
	if (confirm_possible(x, &e) == 0)
		return;
	url_shown(&x->conf->url, shown);
	die(e.status, "%s: %s", shown, e.text);
}
