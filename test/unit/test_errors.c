#include <hiredis.h>

#include "redis/errors.h"
#include "redis/refusal.h"
#include "unit.h"

static const struct {
	const char *text;
	enum status status;
	enum fate fate;
	enum error_kind kind;
	bool turns_away;
} table[] = {
	{"LOADING Redis is loading the dataset in memory", DQ_TEMPORARY, FATE_NOT_DONE,
	 ERROR_LOADING, false},
	/* another word may begin like this */
	{"LOADING", DQ_TEMPORARY, FATE_UNKNOWN, ERROR_OTHER, false},
	{"READONLY You can't write against a read only replica.", DQ_TEMPORARY, FATE_NOT_DONE,
	 ERROR_READONLY, false},
	{"UNBLOCKED force unblock", DQ_TEMPORARY, FATE_UNKNOWN, ERROR_UNBLOCKED, false},
	{"ERR max number of clients reached", DQ_TEMPORARY, FATE_NOT_DONE, ERROR_OTHER, true},
	{"NOAUTH Authentication required.", DQ_AUTH, FATE_NOT_DONE, ERROR_OTHER, true},
	{"ERR Protocol error: unauthenticated bulk length", DQ_AUTH, FATE_NOT_DONE, ERROR_OTHER,
	 true},
	{"ERR Protocol error: invalid bulk length", DQ_INTERNAL, FATE_UNKNOWN, ERROR_OTHER, false},
	{"ERR wrong number of arguments for 'auth' command", DQ_AUTH, FATE_NOT_DONE, ERROR_OTHER,
	 false},
	{"ERR wrong number of arguments for 'evalsha' command", DQ_INTERNAL, FATE_UNKNOWN,
	 ERROR_OTHER, false},
	{"NOPERM this user has no permissions", DQ_AUTH, FATE_NOT_DONE, ERROR_NOPERM, false},
	{"ERR ACL failure in script: x", DQ_AUTH, FATE_NOT_DONE, ERROR_SCRIPT_NOPERM, false},
	{"ERR unknown command 'WAITAOF', with args beginning with: '1'", DQ_CONFIG, FATE_NOT_DONE,
	 ERROR_NO_WAITAOF, false},
	{"ERR unknown command 'EVALSHA', with args beginning with: '1'", DQ_CONFIG, FATE_NOT_DONE,
	 ERROR_OTHER, false},
	{"unsupported command 'bzpopmin'", DQ_CONFIG, FATE_NOT_DONE, ERROR_OTHER, false},
	{"DQRANGE the delay is out of range", DQ_USAGE, FATE_NOT_DONE, ERROR_OTHER, false},
	{"DQSHARDS 3", DQ_TEMPORARY, FATE_SHARDS, ERROR_OTHER, false},
	{"DQCLOCK 1", DQ_INTERNAL, FATE_NOT_DONE, ERROR_CLOCK, false},
	{"DQNEW x", DQ_INTERNAL, FATE_UNKNOWN, ERROR_OTHER, false},
	{"WRONGTYPE Operation against a key", DQ_INTERNAL, FATE_UNKNOWN, ERROR_OTHER, false},
	{"ERR user_script:7: boom", DQ_INTERNAL, FATE_UNKNOWN, ERROR_OTHER, false},
	{"no upstream host", DQ_TEMPORARY, FATE_NOT_DONE, ERROR_OTHER, false},
	{"upstream failure", DQ_TEMPORARY, FATE_UNKNOWN, ERROR_OTHER, false},
	{"ERR Host is down", DQ_TEMPORARY, FATE_UNKNOWN, ERROR_OTHER, false},
	{"EXECABORT Transaction discarded because of: NOPERM this user has no permissions", DQ_AUTH,
	 FATE_NOT_DONE, ERROR_NOPERM, false},
	{"EXECABORT Transaction discarded because of: OOM command not allowed", DQ_TEMPORARY,
	 FATE_NOT_DONE, ERROR_OTHER, false},
	{"", DQ_TEMPORARY, FATE_UNKNOWN, ERROR_OTHER, false},
};

static void where(const char *error)
{
	char text[200];
	struct redisReply reply = {.type = REDIS_REPLY_ERROR, .str = text};
	struct url_host host = {.port = 0};
	unsigned slot = 0;

	snprintf(text, sizeof text, "%s", error);
	check_int(refusal_of(&reply), REFUSAL_MOVED);
	check_int(refusal_where(&reply, &slot, &host), 0);
	check_int(slot, 7);
	check_text(host.name, "h");
	check_int(host.port, 6379);
}

int main(void)
{
	char text[200];
	struct redisReply reply = {.type = REDIS_REPLY_ERROR, .str = text};

	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		const struct error_meaning *m = errors_find(table[i].text);
		check_row(m->status == table[i].status, table[i].text);
		check_row(m->fate == table[i].fate, table[i].text);
		check_row(m->kind == table[i].kind, table[i].text);
		check_row(m->turns_away == table[i].turns_away, table[i].text);
		snprintf(text, sizeof text, "%s", table[i].text);
		check_row(errors_kind(&reply) == table[i].kind, table[i].text);
	}
	where("MOVED 7 h:6379");
	where("EXECABORT Transaction discarded because of: MOVED 7 h:6379");
	reply.type = REDIS_REPLY_STRING;
	check_int(errors_kind(&reply), ERROR_NONE);
	check_int(errors_kind(NULL), ERROR_NONE);
	return unit_end();
}
