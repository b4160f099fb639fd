#include "redis/errors.h"

#include <hiredis.h>
#include <string.h>

#define TOO_OLD "dq needs Redis 7.0 or later, or Valkey"
#define SHARDS "the number of the queue's shards is now "
#define HELD "another load has the queue: load its dump to the end, or give it up " \
	     "(dq-set QUEUE paused=yes): dump "
#define OVER "another load has taken the queue over: dump "
#define GONE "the load lost the queue, which was removed or got other shards: load the dump again"
#define KEYS "more keys would be paused than may be at a time: "
#define PASSWORD "the server wants a password (REDISCLI_AUTH, --password-file): "

/* The first that fits counts. Replies with ERR differ in their further words. */
static const struct error_meaning meanings[] = {
	{"LOADING ", DQ_TEMPORARY, FATE_NOT_DONE, ERROR_LOADING, NULL, false},
	{"BUSY ", DQ_TEMPORARY, FATE_NOT_DONE, ERROR_BUSY, NULL, false},
	{"OOM ", DQ_TEMPORARY, FATE_NOT_DONE, ERROR_OTHER, NULL, false},
	{"MISCONF ", DQ_TEMPORARY, FATE_NOT_DONE, ERROR_OTHER, NULL, false},
	{"NOREPLICAS ", DQ_TEMPORARY, FATE_NOT_DONE, ERROR_NOREPLICAS, NULL, false},
	{"READONLY ", DQ_TEMPORARY, FATE_NOT_DONE, ERROR_READONLY, NULL, false},
	{"MASTERDOWN ", DQ_TEMPORARY, FATE_NOT_DONE, ERROR_MASTERDOWN, NULL, false},
	{"CLUSTERDOWN ", DQ_TEMPORARY, FATE_NOT_DONE, ERROR_CLUSTERDOWN, NULL, false},
	{"TRYAGAIN ", DQ_TEMPORARY, FATE_NOT_DONE, ERROR_TRYAGAIN, NULL, false},
	{"MOVED ", DQ_TEMPORARY, FATE_NOT_DONE, ERROR_MOVED, NULL, false},
	{"ASK ", DQ_TEMPORARY, FATE_NOT_DONE, ERROR_ASK, NULL, false},
	{"ERR max number of clients", DQ_TEMPORARY, FATE_NOT_DONE, ERROR_OTHER, NULL, true},
	{"no upstream host", DQ_TEMPORARY, FATE_NOT_DONE, ERROR_OTHER, NULL, false}, /* Envoy */
	{"UNBLOCKED ", DQ_TEMPORARY, FATE_UNKNOWN, ERROR_UNBLOCKED, NULL, false},

	/* --- the password, or the rights --- */
	{"NOAUTH ", DQ_AUTH, FATE_NOT_DONE, ERROR_OTHER, PASSWORD, true},
	/* as NOAUTH, for a long request */
	{"ERR Protocol error: unauthenticated", DQ_AUTH, FATE_NOT_DONE, ERROR_OTHER, PASSWORD,
	 true},
	{"DENIED ", DQ_AUTH, FATE_NOT_DONE, ERROR_OTHER, NULL, true},
	/* Alibaba: our address is not in the list */
	{"ERR illegal address", DQ_AUTH, FATE_NOT_DONE, ERROR_OTHER, NULL, true},
	{"WRONGPASS ", DQ_AUTH, FATE_NOT_DONE, ERROR_OTHER, NULL, false},
	/* twemproxy, Envoy */
	{"ERR invalid password", DQ_AUTH, FATE_NOT_DONE, ERROR_OTHER, NULL, false},
	/* these, too: but no password is set */
	{"ERR Client sent AUTH", DQ_AUTH, FATE_NOT_DONE, ERROR_OTHER, NULL, false},
	/* called without any password configured */
	{"ERR AUTH ", DQ_AUTH, FATE_NOT_DONE, ERROR_OTHER, NULL, false},
	/* it knows no users */
	{"ERR wrong number of arguments for 'auth'", DQ_AUTH, FATE_NOT_DONE, ERROR_OTHER, NULL,
	 false},
	{"NOPERM ", DQ_AUTH, FATE_NOT_DONE, ERROR_NOPERM, NULL, false},
	/* Of a command that a script runs before its first write. Scripts check later commands
	 * themselves (lua/lib/rights.lua). First as Redis 7.0 says it. */
	{"ERR The user executing the script", DQ_AUTH, FATE_NOT_DONE, ERROR_SCRIPT_NOPERM, NULL,
	 false},
	/* Redis 8, Valkey */
	{"ERR ACL failure in script", DQ_AUTH, FATE_NOT_DONE, ERROR_SCRIPT_NOPERM, NULL, false},

	/* --- the installation --- */
	{"CROSSSLOT ", DQ_CONFIG, FATE_NOT_DONE, ERROR_OTHER, NULL, false},
	{"ERR DB index is out of range", DQ_CONFIG, FATE_NOT_DONE, ERROR_OTHER, NULL, false},
	{"ERR invalid DB index", DQ_CONFIG, FATE_NOT_DONE, ERROR_OTHER, NULL, false},
	{"ERR SELECT is not allowed in cluster mode", DQ_CONFIG, FATE_NOT_DONE, ERROR_OTHER, NULL,
	 false},
	{"ERR unknown command 'WAITAOF'", DQ_CONFIG, FATE_NOT_DONE, ERROR_NO_WAITAOF, NULL, false},
	{"ERR WAITAOF cannot be used", DQ_CONFIG, FATE_NOT_DONE, ERROR_NO_AOF, NULL, false},
	{"ERR unknown command", DQ_CONFIG, FATE_NOT_DONE, ERROR_OTHER, NULL, false},
	{"ERR unknown subcommand", DQ_CONFIG, FATE_NOT_DONE, ERROR_OTHER, NULL, false},
	{"ERR Unknown subcommand", DQ_CONFIG, FATE_NOT_DONE, ERROR_OTHER, NULL, false},
	{"unsupported command", DQ_CONFIG, FATE_NOT_DONE, ERROR_OTHER, NULL, false}, /* Envoy */
	/* Alibaba: not support for your account */
	{"ERR command '", DQ_CONFIG, FATE_NOT_DONE, ERROR_OTHER, NULL, false},
	/* Alibaba */
	{"ERR bad lua script for redis cluster", DQ_CONFIG, FATE_NOT_DONE, ERROR_OTHER, NULL,
	 false},
	/* Before 7.0 Redis did not know the first line of the scripts. */
	{"ERR Error compiling script (new function): user_script:1: unexpected symbol near",
	 DQ_CONFIG, FATE_NOT_DONE, ERROR_OTHER, TOO_OLD, false},
	{"ERR Error compiling script", DQ_CONFIG, FATE_NOT_DONE, ERROR_OTHER, NULL, false},
	{"ERR Unexpected engine in script shebang", DQ_CONFIG, FATE_NOT_DONE, ERROR_OTHER, NULL,
	 false},
	/* the same of Valkey */
	{"ERR Could not find scripting engine", DQ_CONFIG, FATE_NOT_DONE, ERROR_OTHER, NULL, false},

	/* --- of dq's scripts --- */
	{"DQTYPE ", DQ_INTERNAL, FATE_NOT_DONE, ERROR_OTHER, NULL, false},
	{"DQRANGE ", DQ_USAGE, FATE_NOT_DONE, ERROR_OTHER, NULL, false},
	{"DQKEYS ", DQ_USAGE, FATE_NOT_DONE, ERROR_OTHER, KEYS, false},
	{"DQCLOCK ", DQ_INTERNAL, FATE_NOT_DONE, ERROR_CLOCK, NULL, false},
	{"DQSHARDS ", DQ_TEMPORARY, FATE_SHARDS, ERROR_OTHER, SHARDS, false},
	{"DQHELD ", DQ_TEMPORARY, FATE_CLAIM, ERROR_OTHER, HELD, false},
	{"DQOVER ", DQ_TEMPORARY, FATE_CLAIM, ERROR_OTHER, OVER, false},
	{"DQGONE ", DQ_TEMPORARY, FATE_CLAIM, ERROR_OTHER, GONE, false},
	{"DQ", DQ_INTERNAL, FATE_UNKNOWN, ERROR_OTHER, NULL, false},

	/* --- errors within a script, or in a request: the next one would fail, too --- */
	{"NOSCRIPT ", DQ_INTERNAL, FATE_UNKNOWN, ERROR_NOSCRIPT, NULL, false}, /* never to EVAL */
	{"WRONGTYPE ", DQ_INTERNAL, FATE_UNKNOWN, ERROR_OTHER, NULL, false},
	{"ERR user_script", DQ_INTERNAL, FATE_UNKNOWN, ERROR_OTHER, NULL, false},
	{"ERR Script attempted", DQ_INTERNAL, FATE_UNKNOWN, ERROR_OTHER, NULL, false},
	{"ERR Protocol error", DQ_INTERNAL, FATE_UNKNOWN, ERROR_OTHER, NULL, false},
	{"ERR wrong number of arguments", DQ_INTERNAL, FATE_UNKNOWN, ERROR_OTHER, NULL, false},
	{"", DQ_TEMPORARY, FATE_UNKNOWN, ERROR_OTHER, NULL, false},
};

#define EXEC_REFUSED "EXECABORT Transaction discarded because of: "

const char *errors_words(const char *text)
{
	return strncmp(text, EXEC_REFUSED, strlen(EXEC_REFUSED)) ? text :
								   text + strlen(EXEC_REFUSED);
}

const struct error_meaning *errors_find(const char *text)
{
	const struct error_meaning *m = meanings;

	text = errors_words(text);
	while (strncmp(text, m->begins, strlen(m->begins)) != 0)
		m++;
	return m;
}

enum error_kind errors_kind(const struct redisReply *reply)
{
	return reply && reply->type == REDIS_REPLY_ERROR ? errors_find(reply->str)->kind :
							   ERROR_NONE;
}
