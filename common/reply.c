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
} meanings[] = {
	{"LOADING ", DQ_TEMPORARY, FATE_NOT_DONE, NULL},
	{"BUSY ", DQ_TEMPORARY, FATE_NOT_DONE, NULL},
	{"OOM ", DQ_TEMPORARY, FATE_NOT_DONE, NULL},
	{"MISCONF ", DQ_TEMPORARY, FATE_NOT_DONE, NULL},
	{"NOREPLICAS ", DQ_TEMPORARY, FATE_NOT_DONE, NULL},
	{"READONLY ", DQ_TEMPORARY, FATE_NOT_DONE, NULL},
	{"MASTERDOWN ", DQ_TEMPORARY, FATE_NOT_DONE, NULL},
	{"CLUSTERDOWN ", DQ_TEMPORARY, FATE_NOT_DONE, NULL},
	{"TRYAGAIN ", DQ_TEMPORARY, FATE_NOT_DONE, NULL},
	{"MOVED ", DQ_TEMPORARY, FATE_NOT_DONE, NULL},
	{"ASK ", DQ_TEMPORARY, FATE_NOT_DONE, NULL},
	{"ERR max number of clients", DQ_TEMPORARY, FATE_NOT_DONE, NULL},
	{"UNBLOCKED ", DQ_TEMPORARY, FATE_UNKNOWN, NULL},
	{"ERR Script killed", DQ_TEMPORARY, FATE_UNKNOWN, NULL},
	{"NOAUTH ", DQ_AUTH, FATE_NOT_DONE, PASSWORD},
	{"ERR Protocol error: unauthenticated", DQ_AUTH, FATE_NOT_DONE, PASSWORD}, /* instead of NOAUTH, where a request is long */
	{"DENIED ", DQ_AUTH, FATE_NOT_DONE, NULL},
	{"WRONGPASS ", DQ_AUTH, FATE_NOT_DONE, NULL},
	{"NOPERM ", DQ_AUTH, FATE_NOT_DONE, NULL},
	{"ERR The user executing the script", DQ_AUTH, FATE_UNKNOWN, NULL},
	{"CROSSSLOT ", DQ_CONFIG, FATE_NOT_DONE, NULL},
	{"ERR unknown command", DQ_CONFIG, FATE_NOT_DONE, NULL},
	{"ERR Error compiling script", DQ_CONFIG, FATE_NOT_DONE, NULL},
	{"ERR Unexpected engine in script shebang", DQ_CONFIG, FATE_NOT_DONE, NULL},
	{"DQTYPE ", DQ_INTERNAL, FATE_NOT_DONE, NULL},
	{"DQRANGE ", DQ_USAGE, FATE_NOT_DONE, NULL},
};

static const struct meaning *meaning_of(const struct redisReply *reply)
{
	for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
		if (!strncmp(reply->str, meanings[i].begins, strlen(meanings[i].begins)))
			return &meanings[i];
	return NULL;
}

int reply_failed(const struct redisReply *reply, struct err *e)
{
	const struct meaning *m = meaning_of(reply);
	char text[300];
	size_t skip;

	/* Our own scripts' codes are for this table, not for people. */
	skip = !strncmp(reply->str, "DQ", 2) ? strcspn(reply->str, " ") + 1 : 0;
	skip = (size_t)reply->len > skip ? skip : 0;
	text_shown(text, sizeof text, reply->str + skip, (size_t)reply->len - skip);
	err_set(e, m ? m->status : DQ_INTERNAL, "%s%s", m && m->hint ? m->hint : "", text[0] ? text : "an error without a text");
	e->fate = m ? m->fate : FATE_UNKNOWN;
	return -1;
}

bool reply_refuses(const struct redisReply *reply)
{
	static const char *const words[] = {"ERR max number of clients", "NOAUTH ", "ERR Protocol error: unauth", "DENIED "};

	for (size_t i = 0; i < sizeof words / sizeof *words && reply->type == REDIS_REPLY_ERROR; i++)
		if (!strncmp(reply->str, words[i], strlen(words[i])))
			return true;
	return false;
}
