#include "tool/opt.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/name.h"
#include "base/num.h"
#include "base/text.h"
#include "redis/session.h"
#include "tool/die.h"
#include "tool/environ.h"
#include "tool/out.h"
#include "tool/stop.h"

static const char *env(const char *name)
{
	const char *value = getenv(name);

	return value && value[0] ? value : NULL;
}

void opt_start(struct opt *o, const char *tool)
{
	const char *prefix = env("DQ_PREFIX");

	diag_tool(tool);
	if (stop_start() < 0)
		die(DQ_CONFIG, "/dev/null: %s", strerror(errno));
	opterr = 0;
	memset(o, 0, sizeof *o);
	o->password_file = env("DQ_PASSWORD_FILE");
	o->prefix = prefix ? prefix : "dq";
	o->connect_timeout = 5000;
	o->timeout = 10000;
}

static void show_version(void)
{
	out_format("%s (dq) %s\n%s\n", diag_tool_name(), DQ_VERSION, conn_library());
	finish(DQ_DONE);
}

static void show_help(const char *usage)
{
	struct err e;

	if (out_write(usage, strlen(usage), &e) < 0)
		die(e.status, "standard output: %s", e.text);
	finish(DQ_DONE);
}

/* timeout: with none at all a server would have to be faster than a look at the clock. */
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
	case OPT_CONNECT_TIMEOUT:
		o->connect_timeout = timeout("--connect-timeout");
		return true;
	case OPT_TIMEOUT:
		o->timeout = timeout("--timeout");
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

int64_t opt_number(const char *name, const char *text, int64_t min, int64_t max)
{
	struct err e;
	int64_t n;

	if (num_parse(text, min, max, name, &n, &e) < 0)
		die_usage("%s", e.text);
	return n;
}

const char *opt_queue(const char *name)
{
	struct err e;

	if (name_queue_check(name, &e) < 0)
		die_usage("%s", e.text);
	return name;
}

/* read_password takes the first line of the file. */
static void read_password(const char *path, struct url *url)
{
	char shown[200];
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	text_shown(shown, sizeof shown, path, strlen(path));
	if (fd < 0)
		die(DQ_CONFIG, "%s: password file: %s", shown, strerror(errno));
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (st.st_mode & 077))
		warn("%s: password file: others may read it (chmod 600)", shown);
	do
		n = read(fd, url->password, sizeof url->password - 1);
	while (n < 0 && errno == EINTR && !stop_signal());
	close(fd);
	if (n < 0)
		die(DQ_CONFIG, "%s: password file: %s", shown, strerror(errno));
	url->password[n] = 0;
	url->password[strcspn(url->password, "\n")] = 0;
	if (strlen(url->password) == 0 || strlen(url->password) == sizeof url->password - 1)
		die(DQ_CONFIG, "%s: password file: %s", shown, n ? "its first line is empty or too long" : "empty");
	url->has_password = true;
}

static void find_password(const struct opt *o, struct url *url)
{
	const char *auth = env("REDISCLI_AUTH");

	if (o->password_file) {
		read_password(o->password_file, url);
	} else if (!url->has_password && auth) {
		if (strlen(auth) >= sizeof url->password)
			die(DQ_CONFIG, "REDISCLI_AUTH: too long");
		memcpy(url->password, auth, strlen(auth) + 1);
		url->has_password = true;
	}
	if (url->has_password) {
		struct rlimit none = {0, 0};
		setrlimit(RLIMIT_CORE, &none); /* a core file would hold it */
	}
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
		die_usage("-u: a password in the arguments is seen by everyone: put the URL into DQ_URL, or use --password-file");
	if (url->ignored[0])
		warn("%s: ignored: %s", source, url->ignored);
}

void opt_prepare(const struct opt *o, struct conn *c, int stop_fd)
{
	struct conn_conf conf = {.client_name = diag_tool_name(), .connect_timeout = o->connect_timeout,
				 .wait = {.timeout = o->timeout, .stop_fd = stop_fd}};

	if (!name_prefix_valid(o->prefix, strlen(o->prefix)))
		die_usage("%s: 1 to %d of A-Z a-z 0-9 . _ : -", o->prefix == env("DQ_PREFIX") ? "DQ_PREFIX" : "--prefix", NAME_PREFIX_MAX);
	find_url(o, &conf.url);
	find_password(o, &conf.url);
	environ_wipe("DQ_URL");
	environ_wipe("REDIS_URL");
	environ_wipe("REDISCLI_AUTH");
	conn_init(c, &conf);
}

int opt_caught(int fd)
{
	if (fd < 0)
		die(DQ_TEMPORARY, "signals cannot be caught: %s", strerror(errno));
	return fd;
}

void opt_connect(const struct opt *o, struct conn *c, int stop_fd)
{
	char shown[URL_TEXT];
	struct err e;

	opt_prepare(o, c, stop_fd);
	if (session_open(c, NULL, &e) == 0)
		return;
	url_shown(&c->conf.url, shown);
	if (e.names_server)
		die(e.status, "%s", e.text);
	die(e.status, "%s: %s", shown, e.text);
}
