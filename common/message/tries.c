#include "message/tries.h"

#include <hiredis.h>
#include <string.h>

#include "base/num.h"
#include "redis/reply.h"

#define MOST INT64_C(9007199254740991) /* exact in a double */

/* read_text reads TRIES+BACK. */
static bool read_text(const struct redisReply *reply, struct tries *out)
{
	const char *plus = memchr(reply->str, '+', reply->len);
	char counted[24];
	size_t len;
	struct err e;

	if (!plus || strlen(reply->str) != reply->len ||
	    (len = (size_t)(plus - reply->str)) >= sizeof counted)
		return false;
	memcpy(counted, reply->str, len);
	counted[len] = '\0';
	return num_parse(counted, 0, MOST, "", &out->counted, &e) == 0 &&
	       num_parse(plus + 1, 1, MOST, "", &out->given_back, &e) == 0;
}

static bool read_reply(const struct redisReply *reply, struct tries *out)
{
	*out = (struct tries){.counted = 0, .given_back = 0};
	if (reply->type == REDIS_REPLY_STRING)
		return read_text(reply, out);
	if (!reply_is_number(reply))
		return false;
	out->counted = reply->integer;
	return true;
}

bool tries_valid(const struct redisReply *reply)
{
	struct tries t;

	return read_reply(reply, &t);
}

struct tries tries_of(const struct redisReply *reply)
{
	struct tries t;

	read_reply(reply, &t);
	return t;
}

int tries_write(struct buf *out, const struct tries *t)
{
	if (t->given_back == 0)
		return buf_format(out, "%lld", (long long)t->counted);
	return buf_format(out, "%lld+%lld", (long long)t->counted, (long long)t->given_back);
}
