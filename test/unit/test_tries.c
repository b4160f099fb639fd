#include "message/tries.h"

#include <hiredis.h>

#include "unit.h"

static bool read_text(const char *text, size_t len, struct tries *t)
{
	char bytes[64];
	const struct redisReply reply = {.type = REDIS_REPLY_STRING, .str = bytes, .len = len};

	memcpy(bytes, text, len);
	bytes[len] = '\0';
	if (!tries_valid(&reply))
		return false;
	*t = tries_of(&reply);
	return true;
}

static void texts(void)
{
	static const char *const not[] = {"", "1", "+", "1+", "+1", "1+0", "1+x", "x+1", "1 +1",
					  "1++1", "1+1+1", "-1+1", "1+-1", "1+1 ",
					  "9007199254740992+1", "1+9007199254740992",
					  "111111111111111111111111111111+1"};
	struct tries t = {.counted = -1, .given_back = -1};

	check_int(read_text("0+5", 3, &t), true);
	check_int(t.counted, 0);
	check_int(t.given_back, 5);
	check_int(read_text("12+9007199254740991", 19, &t), true);
	check_int(t.counted, 12);
	check_int(t.given_back, INT64_C(9007199254740991));
	for (size_t i = 0; i < sizeof not / sizeof *not; i++)
		check_row(!read_text(not[i], strlen(not[i]), &t), not[i]);
	check_int(read_text("1+1\0", 4, &t), false);
	check_int(read_text("1\0+1", 4, &t), false);
}

static void numbers(void)
{
	struct redisReply reply = {.type = REDIS_REPLY_INTEGER, .integer = 7};

	check_int(tries_valid(&reply), true);
	check_int(tries_of(&reply).counted, 7);
	check_int(tries_of(&reply).given_back, 0);
	reply.integer = INT64_MAX;
	check_int(tries_valid(&reply), false);
	reply.type = REDIS_REPLY_NIL;
	check_int(tries_valid(&reply), false);
}

static void written(void)
{
	struct buf b = {0};

	check_int(tries_write(&b, &(struct tries){.counted = 3, .given_back = 0}), 0);
	check_int(tries_write(&b, &(struct tries){.counted = 0, .given_back = 2}), 0);
	check_bytes(b.bytes, b.len, "30+2", 4);
	buf_free(&b);
}

int main(void)
{
	texts();
	numbers();
	written();
	return unit_end();
}
