#include "rules.h"

#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/time.h"

#define VERSION_MIN 7     /* the first version with "#!lua flags=", which the scripts need */
#define CLIENTS_FEW 100   /* each waiting tool holds two connections */
#define NEARLY 90         /* percent of a limit */
#define CLOCK_OFF_MS 2000 /* more than the round trip to the server explains */
#define CLOCK_WRONG_MS 60000 /* one of both clocks is wrong */

#define SHOWN 120

/* version begins with the server's name, so that a server without a fault has a line, too. Valkey
 * also reports the version of Redis with which it is compatible. */
static int version(struct report *f, const struct server *s)
{
	char shown[SHOWN];
	size_t len;

	if (server_is(s, "server_name", "valkey") && server_field(s, "valkey_version", &len)) {
		server_shown(s, "valkey_version", shown, sizeof shown);
		return report_add(f, REPORT_OK, "server", NULL, "Valkey %s answers", shown);
	}
	if (!server_field(s, "redis_version", &len))
		return report_add(f, REPORT_UNKNOWN, "version", "is this Redis?",
				  "INFO reports no version");
	server_shown(s, "redis_version", shown, sizeof shown);
	if (report_add(f, REPORT_OK, "server", NULL, "Redis %s answers", shown) < 0)
		return -1;
	if (strtol(shown, NULL, 10) >= VERSION_MIN)
		return 0;
	return report_add(f, REPORT_CRITICAL, "version", "install Redis 7.0 or later, or Valkey",
			  "the scripts do not run in Redis %s", shown);
}

static int loading(struct report *f, const struct server *s)
{
	if (!server_is(s, "loading", "1") && !server_is(s, "async_loading", "1"))
		return 0;
	return report_add(f, REPORT_CRITICAL, "loading", "wait until it is ready",
			  "Redis reads its data from disk, and refuses other commands until then");
}

static int role(struct report *f, const struct server *s)
{
	char host[SHOWN], port[16];
	bool down = server_is(s, "master_link_status", "down");

	if (!server_is(s, "role", "slave"))
		return 0;
	server_shown(s, "master_host", host, sizeof host);
	server_shown(s, "master_port", port, sizeof port);
	return report_add(f, REPORT_CRITICAL, "role",
			  "let the URL name the master, or make this one the master: "
			  "REPLICAOF NO ONE",
			  "this is a replica of %s:%s, and refuses writes%s", host, port,
			  down ? "; its link is down, and its data may be old or missing" : "");
}

/* Memory that counts against maxmemory, in percent of it; 0 if there is no limit. */
static int64_t memory_used(const struct server *s)
{
	int64_t max = server_number(s, "maxmemory", 0);
	int64_t used = server_number(s, "used_memory", 0) -
		       server_number(s, "mem_not_counted_for_evict", 0);

	return max > 0 && used > 0 ? (int64_t)((double)used / (double)max * 100) : 0;
}

static int memory(struct report *f, const struct server *s)
{
	const char *remedy = "drain the queues (all but dq-put works), or raise maxmemory";
	int64_t used = memory_used(s), max = server_number(s, "maxmemory", 0);

	if (used < NEARLY)
		return 0;
	if (used < 100)
		return report_add(f, REPORT_WARNING, "maxmemory", remedy,
				  "%lld%% of %lld bytes are used; at 100%% puts are refused",
				  (long long)used, (long long)max);
	return report_add(f, REPORT_CRITICAL, "maxmemory", remedy,
			  "all of %lld bytes are used; puts are refused", (long long)max);
}

/* No key of a queue has an expiry, so the volatile policies should not evict one; but they do
 * evict, and a foreign EXPIRE is enough. Without a limit nothing is evicted yet. */
static int eviction(struct report *f, const struct server *s)
{
	char policy[SHOWN];
	size_t len;
	bool all, limited = server_number(s, "maxmemory", 0) > 0;

	if (!server_field(s, "maxmemory_policy", &len) ||
	    server_is(s, "maxmemory_policy", "noeviction"))
		return 0;
	server_shown(s, "maxmemory_policy", policy, sizeof policy);
	all = !strncmp(policy, "allkeys", 7);
	return report_add(f, all && limited ? REPORT_CRITICAL : REPORT_WARNING, "maxmemory-policy",
			  "CONFIG SET maxmemory-policy noeviction, and the same in redis.conf",
			  all ? "%s lets Redis evict whole queues%s" :
				"%s lets Redis evict keys with a time to live%s",
			  policy, limited ? "" : " once there is a maxmemory");
}

static int no_aof(struct report *f, const struct server *s)
{
	const char *remedy = "CONFIG SET appendonly yes, and the same in redis.conf";

	if (!server_is(s, "aof_enabled", "0"))
		return 0;
	if (server_is(s, "config save", ""))
		return report_add(f, REPORT_WARNING, "appendonly", remedy,
				  "no AOF and no snapshots: a restart loses everything");
	return report_add(f, REPORT_WARNING, "appendonly", remedy,
			  "no AOF: a crash loses all since the last snapshot");
}

static int sync_aof(struct report *f, const struct server *s)
{
	size_t len;

	if (!server_is(s, "aof_enabled", "1") || !server_field(s, "config appendfsync", &len))
		return 0;
	if (server_is(s, "config appendfsync", "no"))
		return report_add(f, REPORT_OK, "appendfsync", "appendfsync always loses nothing",
				  "no: a power cut may lose the last half a minute: puts are lost, "
				  "settled messages are redelivered");
	if (!server_is(s, "config appendfsync", "always"))
		return report_add(f, REPORT_OK, "appendfsync", "appendfsync always loses nothing",
				  "everysec: a crash may lose the last second or two: puts are "
				  "lost, settled messages are redelivered");
	if (server_is(s, "config no-appendfsync-on-rewrite", "yes"))
		return report_add(f, REPORT_WARNING, "no-appendfsync-on-rewrite",
				  "CONFIG SET no-appendfsync-on-rewrite no",
				  "during a rewrite of the AOF Redis does not fsync: a crash may "
				  "lose changes");
	return 0;
}

static int disk(struct report *f, const struct server *s)
{
	const char *remedy = "look at the disk and the log of Redis";
	bool stops = server_is(s, "config stop-writes-on-bgsave-error", "yes") &&
		     !server_is(s, "config save", "");

	if (server_is(s, "aof_last_write_status", "err") &&
	    report_add(f, REPORT_CRITICAL, "aof_last_write_status", remedy,
		       "the AOF cannot be written; writes are refused") < 0)
		return -1;
	if (server_is(s, "aof_last_bgrewrite_status", "err") &&
	    report_add(f, REPORT_WARNING, "aof_last_bgrewrite_status", remedy,
		       "the last rewrite of the AOF failed; it grows") < 0)
		return -1;
	if (!server_is(s, "rdb_last_bgsave_status", "err"))
		return 0;
	return report_add(f, stops ? REPORT_CRITICAL : REPORT_WARNING, "rdb_last_bgsave_status",
			  remedy, "the last snapshot failed%s",
			  stops     ? "; writes are refused" :
			  s->config ? "" :
				      "; Redis may refuse writes");
}

/* INFO counts the good replicas only if both settings are set.
 * Without them, no replica at all is certainly too few. */
static int replicas(struct report *f, const struct server *s)
{
	int64_t good = server_number(s, "min_slaves_good_slaves", -1),
		wanted = server_number(s, "config min-replicas-to-write", 1);

	if (good < 0 || good >= wanted)
		return 0;
	return report_add(f, REPORT_CRITICAL, "min-replicas-to-write",
			  "start the missing replicas, or lower min-replicas-to-write",
			  "%lld good replicas, and %lld are asked for; writes are refused",
			  (long long)good, (long long)wanted);
}

static int clients(struct report *f, const struct server *s)
{
	int64_t now = server_number(s, "connected_clients", 0),
		max = server_number(s, "maxclients", 0);

	if (max <= 0)
		return 0;
	if (now >= max * NEARLY / 100)
		return report_add(f, REPORT_WARNING, "maxclients",
				  "end some, or raise maxclients and the open files of Redis",
				  "%lld of %lld connections are open; new ones may be refused",
				  (long long)now, (long long)max);
	if (max < CLIENTS_FEW)
		return report_add(f, REPORT_WARNING, "maxclients",
				  "raise maxclients and the open files of Redis",
				  "only %lld connections, and each tool that waits holds two",
				  (long long)max);
	return 0;
}

static int scripts(struct report *f, const struct server *s)
{
	if (server_number(s, "config busy-reply-threshold", 1) > 0)
		return 0;
	return report_add(f, REPORT_WARNING, "busy-reply-threshold",
			  "CONFIG SET busy-reply-threshold 5000",
			  "0: while a script hangs, Redis serves no client and accepts "
			  "no SCRIPT KILL");
}

static int clocks(struct report *f, const struct server *s)
{
	char shown[DURATION_TEXT], date[TIME_TEXT];
	bool wrong = llabs(s->ahead) >= CLOCK_WRONG_MS;

	if (!s->clock || llabs(s->ahead) < CLOCK_OFF_MS)
		return 0;
	if (s->now > TIME_MAX) {
		time_format(s->now, date);
		return report_add(f, REPORT_CRITICAL, "clock", "set the server's clock",
				  "the server's clock says %s: out of range (until May 2109), and "
				  "every write is refused",
				  date);
	}
	duration_age(llabs(s->ahead), shown);
	return report_add(f, wrong ? REPORT_WARNING : REPORT_OK, "clock",
			  wrong ? "correct the wrong clock; due times are by the server's clock" :
				  "due times are by the server's clock",
			  "the server's clock is %s %s the one here", shown,
			  s->ahead > 0 ? "ahead of" : "behind");
}

int rules_judge_past(struct report *f, const char *queue, const char *what, int64_t last,
		     int64_t now)
{
	int64_t back = last - now;
	char shown[DURATION_TEXT];

	if (back < CLOCK_OFF_MS)
		return 0;
	duration_age(back, shown);
	return report_add(f, REPORT_WARNING, "clock",
			  "correct the clock if it is wrong; messages put or leased before wait "
			  "longer by this time",
			  "%s: the server's clock went back: the last %s was %s later than now",
			  queue, what, shown);
}

static int unread_config(struct report *f, const struct server *s)
{
	if (s->config)
		return 0;
	return report_add(f, REPORT_OK, "config", "allow this user config|get to have them checked",
			  "the settings of Redis cannot be read, such as appendfsync");
}

int rules_judge(struct report *f, const struct server *s)
{
	static int (*const rules[])(struct report *f, const struct server *s) = {
		version, loading, role, eviction, memory, no_aof, sync_aof, disk, replicas, clients,
		scripts, clocks, unread_config,
	};

	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
		if (rules[i](f, s) < 0)
			return -1;
	return 0;
}
