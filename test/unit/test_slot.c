#include <hiredis.h>
#include <string.h>

#include "redis/refusal.h"
#include "unit.h"

static void slot(const char *key, unsigned want)
{
	check_row(slot_of(key, strlen(key)) == want, key);
}

static void slots(void)
{
	slot("", 0);
	slot("123456789", 12739);
	slot("foo", 12182);
	slot("user1000", 3443);
	slot("{user1000}.following", 3443);
	slot("{user1000}.followers", 3443);
	slot("foo{}{bar}", 8363); /* nothing in the first braces: all of it */
	slot("foo{{bar}}zap", 4015);
	slot("foo{bar}{zap}", 5061);
	slot("bar", 5061);
	check_row(slot_of("{a", 2) != slot_of("a", 1), "{a");
	check_row(slot_of("dq:{mail}:msg", 13) == slot_of("mail", 4), "mail");
}

/* The reply says that; where: "SLOT HOST PORT", NULL: it makes no sense. */
static void says(const char *text, enum refusal want, const char *where)
{
	struct redisReply reply = {.type = REDIS_REPLY_ERROR, .str = (char *)text,
				   .len = strlen(text)};
	struct url_host host;
	char got[300] = "";
	unsigned at;

	check_row(refusal_of(&reply) == want, text);
	if (want != REFUSAL_MOVED && want != REFUSAL_ASK)
		return;
	if (refusal_where(&reply, &at, &host) == 0)
		snprintf(got, sizeof got, "%u %s %d", at, host.name, host.port);
	check_text(got, where ? where : "");
}

static void refusals(void)
{
	const struct redisReply text = {.type = REDIS_REPLY_STRING, .str = (char *)"MOVED 1 a:1",
					.len = 11};

	says("MOVED 3999 127.0.0.1:6381", REFUSAL_MOVED, "3999 127.0.0.1 6381");
	says("MOVED 0 redis-1.example:1", REFUSAL_MOVED, "0 redis-1.example 1");
	says("MOVED 16383 ::1:65535", REFUSAL_MOVED, "16383 ::1 65535");
	says("ASK 1 :6379", REFUSAL_ASK, "1  6379"); /* the host that answered */
	says("MOVED 1 ?:6379", REFUSAL_MOVED, "1  6379");
	says("MOVED 16384 a:1", REFUSAL_MOVED, NULL);
	says("MOVED 1 a:65536", REFUSAL_MOVED, NULL);
	says("MOVED 1 a:0", REFUSAL_MOVED, NULL);
	says("MOVED 1 a", REFUSAL_MOVED, NULL);
	says("MOVED 1", REFUSAL_MOVED, NULL);
	says("MOVED ", REFUSAL_MOVED, NULL);
	says("MOVED x a:1", REFUSAL_MOVED, NULL);
	says("MOVED 1 a b:1", REFUSAL_MOVED, NULL);
	says("MOVED 1 a/b:1", REFUSAL_MOVED, NULL);
	says("NOSCRIPT No matching script", REFUSAL_NOSCRIPT, NULL);
	says("TRYAGAIN Multiple keys request during rehashing of slot", REFUSAL_MOVING, NULL);
	says("LOADING Redis is loading the dataset in memory", REFUSAL_LATER, NULL);
	says("CLUSTERDOWN Hash slot not served", REFUSAL_LOST, NULL);
	says("READONLY You can't write against a read only replica.", REFUSAL_LOST, NULL);
	says("MOVEDX 1 a:1", REFUSAL_NONE, NULL);
	says("ERR MOVED 1 a:1", REFUSAL_NONE, NULL);
	says("", REFUSAL_NONE, NULL);
	check_int(refusal_of(&text), REFUSAL_NONE);
	check_int(refusal_of(NULL), REFUSAL_NONE);
}

int main(void)
{
	slots();
	refusals();
	return unit_end();
}
