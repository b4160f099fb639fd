#include "reply.h"

#include <hiredis.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

void reply_free(struct redisReply *reply)
{
	if (reply)
		freeReplyObject(reply);
}

bool reply_is_number(const struct redisReply *reply)
{
	const long long max = 1LL << 53;

	return reply->type == REDIS_REPLY_INTEGER && reply->integer >= -max && reply->integer <= max;
}

#if HIREDIS_MAJOR > 0
typedef size_t array_length;
#else
typedef int array_length;
#endif

struct reply_limit {
	redisReplyObjectFunctions fn;
	const redisReplyObjectFunctions *usual;
	bool refused;
};

static void *create_array(const redisReadTask *task, array_length elements)
{
	struct reply_limit *limit = task->privdata;

	if (elements <= REPLY_ELEMENTS)
		return limit->usual->createArray(task, elements);
	limit->refused = true;
	return NULL;
}

struct reply_limit *reply_limit(struct redisReader *reader)
{
	struct reply_limit *limit = malloc(sizeof *limit);

	if (!limit)
		return NULL;
	limit->usual = reader->fn;
	limit->fn = *reader->fn;
	limit->fn.createArray = create_array;
	limit->refused = false;
	reader->fn = &limit->fn;
	reader->privdata = limit;
	return limit;
}

bool reply_was_refused(const struct reply_limit *limit)
{
	return limit && limit->refused;
}

#define PASSWORD "the server wants a password (REDISCLI_AUTH, --password-file): "

/* The first word of an error reply, and what it means. "ERR" texts are told apart by how they begin. */
static const struct meaning {
	const char *begins;
	enum status status;
	enum fate fate;
	const char *hint; /* said before it */
	bool turns_away; /* the whole connection, where it is the first thing said on it */
} meanings[] = {
	{"LOADING ", DQ_TEMPORARY, FATE_NOT_DONE, NULL, false},
	{"BUSY ", DQ_TEMPORARY, FATE_NOT_DONE, NULL, false},
	{"OOM ", DQ_TEMPORARY, FATE_NOT_DONE, NULL, false},
	{"MISCONF ", DQ_TEMPORARY, FATE_NOT_DONE, NULL, false},
	{"NOREPLICAS ", DQ_TEMPORARY, FATE_NOT_DONE, NULL, false},
	{"READONLY ", DQ_TEMPORARY, FATE_NOT_DONE, NULL, false},
	{"MASTERDOWN ", DQ_TEMPORARY, FATE_NOT_DONE, NULL, false},
	{"CLUSTERDOWN ", DQ_TEMPORARY, FATE_NOT_DONE, NULL, false},
	{"TRYAGAIN ", DQ_TEMPORARY, FATE_NOT_DONE, NULL, false},
	{"MOVED ", DQ_TEMPORARY, FATE_NOT_DONE, NULL, false},
	{"ASK ", DQ_TEMPORARY, FATE_NOT_DONE, NULL, false},
	{"ERR max number of clients", DQ_TEMPORARY, FATE_NOT_DONE, NULL, true},
	{"UNBLOCKED ", DQ_TEMPORARY, FATE_UNKNOWN, NULL, false},
	{"ERR Script killed", DQ_TEMPORARY, FATE_UNKNOWN, NULL, false},
	{"NOAUTH ", DQ_AUTH, FATE_NOT_DONE, PASSWORD, true},
	{"ERR Protocol error: unauthenticated", DQ_AUTH, FATE_NOT_DONE, PASSWORD, true}, /* NOAUTH, where a request is long */
	{"DENIED ", DQ_AUTH, FATE_NOT_DONE, NULL, true},
	{"WRONGPASS ", DQ_AUTH, FATE_NOT_DONE, NULL, false},
	{"NOPERM ", DQ_AUTH, FATE_NOT_DONE, NULL, false},
	{"ERR The user executing the script", DQ_AUTH, FATE_UNKNOWN, NULL, false},
	{"CROSSSLOT ", DQ_CONFIG, FATE_NOT_DONE, NULL, false},
	{"ERR unknown command", DQ_CONFIG, FATE_NOT_DONE, NULL, false},
	{"ERR Error compiling script", DQ_CONFIG, FATE_NOT_DONE, NULL, false},
	{"ERR Unexpected engine in script shebang", DQ_CONFIG, FATE_NOT_DONE, NULL, false},
	{"DQTYPE ", DQ_INTERNAL, FATE_NOT_DONE, NULL, false},
	{"DQRANGE ", DQ_USAGE, FATE_NOT_DONE, NULL, false},
};

static const struct meaning *meaning_of(const struct redisReply *reply)
{
	for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
		if (!strncmp(reply->str, meanings[i].begins, strlen(meanings[i].begins)))
			return &meanings[i];
	return NULL;
}

size_t reply_words(const struct redisReply *reply)
{
	const char *quote = strstr(reply->str, ", with args");

	return quote ? (size_t)(quote - reply->str) : (size_t)reply->len;
}

int reply_failed(const struct redisReply *reply, struct err *e)
{
	const struct meaning *m = meaning_of(reply);
	size_t len = reply_words(reply), skip;
	char text[300];

	/* Our own scripts' codes are for this table, not for people. */
	skip = !strncmp(reply->str, "DQ", 2) ? strcspn(reply->str, " ") + 1 : 0;
	skip = len > skip ? skip : 0;
	text_shown(text, sizeof text, reply->str + skip, len - skip);
	err_set(e, m ? m->status : DQ_INTERNAL, "%s%s", m && m->hint ? m->hint : "", text[0] ? text : "an error without a text");
	e->fate = m ? m->fate : FATE_UNKNOWN;
	return -1;
}

bool reply_refuses(const struct redisReply *reply)
{
	const struct meaning *m = reply->type == REDIS_REPLY_ERROR ? meaning_of(reply) : NULL;

	return m && m->turns_away;
}
