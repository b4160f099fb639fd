#include "tool/opt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/dedup.h"
#include "base/name.h"
#include "base/num.h"
#include "redis/library.h"
#include "redis/patience.h"
#include "redis/place.h"
#include "redis/session.h"
#include "redis/url_text.h"
#include "tool/die.h"
#include "tool/environ.h"
#include "tool/given.h"
#include "tool/out.h"
#include "tool/password.h"
#include "tool/reconnect.h"

/* ms: a failover that is over sooner is not reported, unless --retry-for was asked for */
#define QUIET 1000

static const char *env(const char *name)
{
	const char *value = getenv(name);

	return value && value[0] ? value : NULL;
}

void opt_start(struct opt *o, const char *tool)
{
	const char *prefix = env("DQ_PREFIX");

	diag_tool(tool);
	if (given_start() < 0)
		die(DQ_CONFIG, "/dev/null: %s", strerror(errno));
	opterr = 0;
	memset(o, 0, sizeof *o);
	o->password_file = env("DQ_PASSWORD_FILE");
	if (!o->password_file)
		o->password_file = password_credential();
	o->prefix = prefix ? prefix : "dq";
	o->tls = (struct tls_conf){.cacert = env("DQ_CACERT"), .cert = env("DQ_CERT"),
				   .key = env("DQ_KEY")};
	o->connect_timeout = 5000;
	o->timeout = 10000;
	o->durable.ms = DURABLE_MS;
}

static void show_version(void)
{
	out_format("%s (dq) %s\n%s\n", diag_tool_name(), DQ_VERSION, library_text());
	finish(DQ_DONE);
}

static void show_help(const char *usage)
{
	struct err e;

	if (out_write(usage, strlen(usage), &e) < 0)
		finish(out_failed(&e));
	finish(DQ_DONE);
}

/* timeout refuses 0: no server could reply in time. */
static int64_t timeout(const char *name)
{
	int64_t ms = opt_duration(name, optarg);

	if (ms < 1)
		die_usage("%s: at least 1ms", name);
	return ms;
}

bool opt_common(struct opt *o, int c, const char *usage)
{
	switch (c) {
	case 'u':
		o->url = optarg;
		return true;
	case OPT_PASSWORD_FILE:
		o->password_file = optarg;
		return true;
	case OPT_ASKPASS:
		o->askpass = true;
		return true;
	case OPT_CACERT:
		o->tls.cacert = optarg;
		o->tls_named = "--cacert";
		return true;
	case OPT_CERT:
		o->tls.cert = optarg;
		o->tls_named = "--cert";
		return true;
	case OPT_KEY:
		o->tls.key = optarg;
		o->tls_named = "--key";
		return true;
	case OPT_INSECURE:
		o->tls.insecure = true;
		o->tls_named = "--insecure";
		return true;
	case OPT_CONNECT_TIMEOUT:
		o->connect_timeout = timeout("--connect-timeout");
		return true;
	case OPT_TIMEOUT:
		o->timeout = timeout("--timeout");
		return true;
	case OPT_RETRY_FOR:
		o->retry_for = opt_duration("--retry-for", optarg);
		o->retry_named = true;
		return true;
	case OPT_PREFIX:
		o->prefix = optarg;
		return true;
	case 'v':
		o->verbose = true;
		return true;
	case 'h':
		show_help(usage);
		return true;
	case 'V':
		show_version();
		return true;
	default:
		return false;
	}
}

int64_t opt_duration(const char *name, const char *text)
{
	struct err e;
	int64_t ms;

	if (num_duration(text, &ms, &e) < 0)
		die_usage("%s: %s", name, e.text);
	return ms;
}

void opt_due(int letter, const char *text, char due[LINE_DUE])
{
	struct err e;

	if ((letter == 'd' ? line_delay(text, "-a ", due, &e) : line_time(text, due, &e)) < 0)
		die_usage("-%c: %s", letter, e.text);
}

int64_t opt_number(const char *name, const char *text, int64_t min, int64_t max)
{
	struct err e;
	int64_t n;

	if (num_parse(text, min, max, name, &n, &e) < 0)
		die_usage("%s", e.text);
	return n;
}

void opt_queue(const char *name)
{
	struct err e;

	if (name_queue_check(name, &e) < 0)
		die_usage("%s", e.text);
}

int opt_queues(char **names)
{
	struct dedup seen = {0};
	int count = 0;

	for (char **name = names; *name; name++) {
		opt_queue(*name);
		if (!dedup_seen(&seen, *name, strlen(*name), "", 0))
			names[count++] = *name;
	}
	names[count] = NULL;
	dedup_free(&seen);
	return count;
}

static void find_url(const struct opt *o, struct url *url)
{
	const char *source = "-u", *text = o->url;
	struct err e;

	if (!text) {
		source = "DQ_URL";
		text = env(source);
	}
	if (!text) {
		source = "REDIS_URL";
		text = env(source);
	}
	if (url_parse(text ? text : "redis://127.0.0.1:6379/0", url, &e) < 0)
		die(e.status, "%s: %s", source, e.text);
	if (o->url && url->has_password)
		die_usage("-u: other users can see a password in the arguments: use DQ_URL or "
			  "--password-file");
}

/* check_tls: a user who gives TLS options in the arguments must not connect without TLS. Variables
 * are exempt: they are for whole scripts. */
static void check_tls(const struct opt *o, const struct url *url)
{
	char shown[URL_TEXT];

	if (!o->tls.cert != !o->tls.key)
		die_usage("--cert and --key: both, or none of them");
	if (!url->tls && o->tls_named)
		die_usage("%s: the URL has no TLS: rediss://", o->tls_named);
	if (!url->tls || !o->tls.insecure)
		return;
	url_shown(url, shown);
	warn("%s: --insecure: the server's certificate is not verified", shown);
}

/* retry_for: several hosts are there for a failover, which takes some seconds. */
static void retry_for(const struct opt *o, struct conn_conf *conf)
{
	conf->retry_for = o->retry_for;
	conf->retry_named = o->retry_for != OPT_BY_URL;
	if (o->retry_for == OPT_BY_URL)
		conf->retry_for = place_has_choice(&conf->url) ? o->timeout : 0;
}

void opt_prepare(const struct opt *o, struct exchange *x, int stop_fd)
{
	struct conn_conf conf = {.client_name = diag_tool_name(),
				 .connect_timeout = o->connect_timeout,
				 .wait = {.timeout = o->timeout, .stop_fd = stop_fd}};

	if (!name_prefix_valid(o->prefix, strlen(o->prefix)))
		die_usage("%s: 1 to %d of A-Z a-z 0-9 . _ : -",
			  o->prefix == env("DQ_PREFIX") ? "DQ_PREFIX" : "--prefix",
			  NAME_PREFIX_MAX);
	find_url(o, &conf.url);
	password_find(o->askpass, o->password_file, stop_fd, &conf.url);
	check_tls(o, &conf.url);
	conf.password_again = password_again;
	conf.tls = o->tls;
	retry_for(o, &conf);
	conf.durable = o->durable;
	conf.durable.ms = clock_sooner(o->durable.ms, o->timeout);
	environ_wipe("DQ_URL");
	environ_wipe("REDIS_URL");
	environ_wipe("REDISCLI_AUTH");
	environ_wipe("DQ_SENTINEL_PASSWORD");
	exchange_init(x, &conf);
	x->patience.say = o->hushed ? NULL : reconnect_tries;
	x->patience.quiet = o->retry_for == OPT_BY_URL || o->retry_for == 0 ? QUIET : 0;
}

int opt_caught(int fd)
{
	if (fd < 0)
		die(DQ_TEMPORARY, "signals cannot be caught: %s", strerror(errno));
	return fd;
}

void opt_connect(const struct opt *o, struct exchange *x, int stop_fd)
{
	opt_prepare(o, x, stop_fd);
	opt_open(x);
}

void opt_open(struct exchange *x)
{
	char shown[URL_TEXT];
	struct err e;

	if (patience_open(&x->patience, &x->nodes.root, &e) == 0)
		return;
	url_shown(&x->conf->url, shown);
	if (e.names_server)
		die(e.status, "%s", e.text);
	die(e.status, "%s: %s", shown, e.text);
}
