#include "reply.h"

#include <hiredis.h>
#include <string.h>

#include "text.h"

void reply_free(struct redisReply *reply)
{
	if (reply)
		freeReplyObject(reply);
}

/* The first word of an error reply, and what it means. "ERR" texts are told apart by how they begin. */
static const struct meaning {
	const char *begins;
	enum status status;
	enum fate fate;
} meanings[] = {
	{"LOADING ", DQ_TEMPORARY, FATE_NOT_DONE},
	{"BUSY ", DQ_TEMPORARY, FATE_NOT_DONE},
	{"OOM ", DQ_TEMPORARY, FATE_NOT_DONE},
	{"MISCONF ", DQ_TEMPORARY, FATE_NOT_DONE},
	{"NOREPLICAS ", DQ_TEMPORARY, FATE_NOT_DONE},
	{"READONLY ", DQ_TEMPORARY, FATE_NOT_DONE},
	{"MASTERDOWN ", DQ_TEMPORARY, FATE_NOT_DONE},
	{"CLUSTERDOWN ", DQ_TEMPORARY, FATE_NOT_DONE},
	{"TRYAGAIN ", DQ_TEMPORARY, FATE_NOT_DONE},
	{"MOVED ", DQ_TEMPORARY, FATE_NOT_DONE},
	{"ASK ", DQ_TEMPORARY, FATE_NOT_DONE},
	{"ERR max number of clients", DQ_TEMPORARY, FATE_NOT_DONE},
	{"UNBLOCKED ", DQ_TEMPORARY, FATE_UNKNOWN},
	{"ERR Script killed", DQ_TEMPORARY, FATE_UNKNOWN},
	{"NOAUTH ", DQ_AUTH, FATE_NOT_DONE},
	{"ERR Protocol error: unauthenticated", DQ_AUTH, FATE_NOT_DONE}, /* instead of NOAUTH, where a request is long */
	{"WRONGPASS ", DQ_AUTH, FATE_NOT_DONE},
	{"NOPERM ", DQ_AUTH, FATE_NOT_DONE},
	{"ERR The user executing the script", DQ_AUTH, FATE_UNKNOWN},
	{"CROSSSLOT ", DQ_CONFIG, FATE_NOT_DONE},
	{"ERR unknown command", DQ_CONFIG, FATE_NOT_DONE},
	{"ERR Error compiling script", DQ_CONFIG, FATE_NOT_DONE},
	{"ERR Unexpected engine in script shebang", DQ_CONFIG, FATE_NOT_DONE},
	{"DQTYPE ", DQ_INTERNAL, FATE_NOT_DONE},
	{"DQRANGE ", DQ_USAGE, FATE_NOT_DONE},
	{"DQEXPIRY ", DQ_USAGE, FATE_NOT_DONE},
};

int reply_failed(const struct redisReply *reply, struct err *e)
{
	const struct meaning *m = NULL;
	char text[300];
	size_t skip;

	for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
		if (!strncmp(reply->str, meanings[i].begins, strlen(meanings[i].begins)))
			m = &meanings[i];
	/* Our own scripts' codes are for this table, not for people. */
	skip = !strncmp(reply->str, "DQ", 2) ? strcspn(reply->str, " ") + 1 : 0;
	skip = (size_t)reply->len > skip ? skip : 0;
	text_shown(text, sizeof text, reply->str + skip, (size_t)reply->len - skip);
	err_set(e, m ? m->status : DQ_INTERNAL, "%s", text[0] ? text : "an error without a text");
	e->fate = m ? m->fate : FATE_UNKNOWN;
	return -1;
}
