#include "replication.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/num.h"
#include "redis/sentinel.h"
#include "redis/url_text.h"

#define REPLICAS_MAX 100 /* replicas that are checked */
/* a replica reports once a second; min-replicas-max-lag is 10 by default */
#define SILENT_S 10
#define REMEDY "CONFIG SET min-replicas-to-write 1, and the same in redis.conf of each server " \
	       "that may be the master"

/* part finds ",NAME=NUMBER" in the line of a replica; if it is missing, the result is `none`. */
static int64_t part(const char *line, const char *name, int64_t none)
{
	const char *at = strstr(line, name);
	char text[24];
	struct err e;
	int64_t n;
	size_t len;

	if (!at)
		return none;
	at += strlen(name);
	len = strspn(at, "0123456789");
	if (len >= sizeof text)
		return none;
	memcpy(text, at, len);
	text[len] = 0;
	return num_parse(text, 0, INT64_MAX, name, &n, &e) == 0 ? n : none;
}

/* online: replicas online; bytes and seconds: how far the last one is behind. silent: replicas so
 * far behind that they hang, or are unreachable. */
struct behind {
	int64_t online, silent, bytes, seconds;
};

static struct behind count_behind(const struct server *s, int64_t count)
{
	int64_t offset = server_number(s, "master_repl_offset", 0);
	struct behind b = {0, 0, 0, 0};

	for (int i = 0; i < count && i < REPLICAS_MAX; i++) {
		char name[24], line[200] = "";
		size_t len;
		const char *at;

		snprintf(name, sizeof name, "slave%d", i);
		at = server_field(s, name, &len);
		if (at)
			snprintf(line, sizeof line, ",%.*s",
				 (int)(len < sizeof line ? len : sizeof line - 2), at);
		if (strstr(line, ",state=online")) {
			int64_t bytes = offset - part(line, ",offset=", offset),
				seconds = part(line, ",lag=", 0);
			b.online++;
			b.silent += seconds > SILENT_S;
			b.bytes = bytes > b.bytes ? bytes : b.bytes;
			b.seconds = seconds > b.seconds ? seconds : b.seconds;
		}
	}
	return b;
}

/* An old master that returns, or is cut off, accepts messages until it learns of the new master:
 * then all of these messages are lost. */
static int guarded(struct report *f, const struct server *s)
{
	size_t len;

	/* the server reports it only if it is set */
	if (server_field(s, "min_slaves_good_slaves", &len))
		return 0;
	return report_add(f, REPORT_WARNING, "min-replicas-to-write", REMEDY,
			  "not set: an old master that is cut off, or returns, may accept messages "
			  "that are lost later");
}

static int tell(struct report *f, const struct behind *b, int64_t count)
{
	bool good = b->silent == 0 && (b->online == count || count > REPLICAS_MAX);

	return report_add(f, good ? REPORT_OK : REPORT_WARNING, "replicas",
			  good ? NULL :
				 "read the log of the replica that is not online, or is "
				 "far behind: it has stopped, or still copies",
			  "a master; %lld of %lld replicas online, the last one %lld bytes and "
			  "%llds behind",
			  (long long)b->online, (long long)count, (long long)b->bytes,
			  (long long)b->seconds);
}

int replication_judge(struct report *f, const struct server *s)
{
	int64_t count = server_number(s, "connected_slaves", 0);
	struct behind b;

	if (!server_is(s, "role", "master") || count < 1)
		return 0;
	b = count_behind(s, count);
	if (b.online < 1)
		return report_add(f, REPORT_WARNING, "replicas", "read the log of the replicas",
				  "a master, and none of its replicas (%lld) is online",
				  (long long)count) < 0 ?
			       -1 :
			       guarded(f, s);
	return tell(f, &b, count) < 0 ? -1 : guarded(f, s);
}

/* The check of one Sentinel. */
struct view {
	struct report *f;
	const struct url_host *master; /* name "": no master was found */
	char who[URL_HOST_TEXT];
	int agree;                     /* Sentinels that agree */
};

static int warns(struct view *v, const char *remedy, const char *why)
{
	return report_add(v->f, REPORT_WARNING, "sentinel", remedy, "%s: %s", v->who, why);
}

static int ask_quorum(struct view *v, struct conn *sentinel, const struct wait *wait, struct err *e)
{
	int status = sentinel_quorum(sentinel, wait, e);

	if (status == 0)
		v->agree++;
	else if (e->status != DQ_STOPPED)
		status = warns(v,
			       "start the unreachable Sentinels: too few are left to "
			       "replace the master",
			       e->text);
	return status;
}

/* judge: known is what sentinel_master returned. */
static int judge(struct view *v, struct conn *sentinel, int known, const struct url_host *named,
		 const struct wait *wait, struct err *e)
{
	char other[URL_HOST_TEXT], why[URL_HOST_TEXT + 40];

	if (known < 0)
		return warns(v, "start it, or correct the URL", e->text);
	if (known == 0)
		return warns(v, "let it monitor the master, or correct the URL",
			     "does not know this master");
	if (v->master->name[0] &&
	    (named->port != v->master->port || strcmp(named->name, v->master->name) != 0)) {
		url_host_shown(named, other);
		snprintf(why, sizeof why, "says that the master is %s", other);
		return warns(v,
			     "check again in a minute; if the warning stays, two servers "
			     "accept messages",
			     why);
	}
	return ask_quorum(v, sentinel, wait, e);
}

static int ask(struct view *v, const struct conn_conf *conf, int i, struct err *e)
{
	int64_t ms = conf->connect_timeout / conf->url.hosts.count;
	const struct wait wait = {.timeout = ms, .until = clock_ms() + ms,
				  .stop_fd = conf->wait.stop_fd};
	struct url_host named = {.port = 0};
	struct conn sentinel;
	int known, status;

	url_host_shown(&conf->url.hosts.at[i], v->who);
	known = sentinel_open(&sentinel, conf, i, &wait, e);
	if (known == 0)
		known = sentinel_master(&sentinel, &wait, &named, e);
	status = known < 0 && e->status == DQ_STOPPED ?
			 -1 :
			 judge(v, &sentinel, known, &named, &wait, e);
	conn_close(&sentinel);
	if (status < 0 && e->status != DQ_STOPPED)
		return err_memory(e);
	return status;
}

int replication_ask(struct report *f, const struct conn_conf *conf, struct err *e)
{
	const struct url *u = &conf->url;
	struct view v = {.f = f, .master = &u->server};

	for (int i = 0; u->sentinel.master[0] && i < u->hosts.count; i++)
		if (ask(&v, conf, i, e) < 0)
			return -1;
	if (v.agree == 0)
		return 0;
	if (report_add(f, REPORT_OK, "sentinel", NULL,
		       "%d of %d Sentinels name %s, and have a quorum to replace it", v.agree,
		       u->hosts.count, u->server.name[0] ? "this master" : "a master") < 0)
		return err_memory(e);
	return 0;
}
