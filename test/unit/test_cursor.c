/* A cursor: read on, begin anew on another connection, or give up. */
#include <hiredis.h>

#include "redis/cursor.h"
#include "redis/nodes.h"
#include "unit.h"

static struct node nodes[2];

static struct redisReply reply_of(int type, const char *text)
{
	return (struct redisReply){.type = type, .str = (char *)text, .len = strlen(text)};
}

/* hear: a reply with that cursor came by that opening of a connection. */
static int hear(struct cursor *c, int node, unsigned opened, const char *text)
{
	const struct call call = {.node = &nodes[node], .opened = opened};
	const struct redisReply next = reply_of(REDIS_REPLY_STRING, text);
	struct err e;
	int status = cursor_next(c, &call, &next, &e);

	if (status < 0)
		check_int(e.status, DQ_TEMPORARY);
	return status;
}

static void reads_on(void)
{
	struct cursor c = {.told = true};

	cursor_begin(&c);
	CHECK(cursor_at_begin(&c));
	check_int(hear(&c, 0, 1, "17"), 0);
	check_text(c.text, "17");
	CHECK(!cursor_at_begin(&c) && !c.ended && !c.anew);
	check_int(hear(&c, 0, 1, "18446744073709551615"), 0);
	check_int(hear(&c, 0, 1, "0"), 0);
	CHECK(c.ended && !c.anew);
	cursor_begin(&c); /* the next key may be on another connection */
	CHECK(!c.ended);
	check_int(hear(&c, 1, 5, "3"), 0);
	check_text(c.text, "3");
}

/* Another server, and the same one on another connection, even if it says that nothing is left. */
static void begins_anew(void)
{
	struct cursor c = {.told = false};

	cursor_begin(&c);
	check_int(hear(&c, 0, 1, "3"), 0);
	check_int(hear(&c, 0, 2, "0"), 0);
	CHECK(c.anew && !c.ended && cursor_at_begin(&c));
	check_int(hear(&c, 0, 2, "3"), 0);
	CHECK(!c.anew);
	check_int(hear(&c, 1, 2, "5"), 0);
	CHECK(c.anew && cursor_at_begin(&c));
	check_int(hear(&c, 1, 2, "0"), 0);
	CHECK(c.ended && !c.anew);
}

static void told(void)
{
	struct cursor c = {.told = true};

	cursor_begin(&c);
	check_int(hear(&c, 0, 1, "3"), 0);
	check_int(hear(&c, 0, 2, "5"), -1);
}

/* lose reads so many replies, then its connection is lost. */
static int lose(struct cursor *c, unsigned *opened, int replies)
{
	for (int i = 0; i < replies; i++)
		check_int(hear(c, 0, *opened, "3"), 0);
	return hear(c, 0, ++*opened, "3");
}

static void gives_up(void)
{
	struct cursor c = {.told = false};
	unsigned opened = 1;

	cursor_begin(&c);
	check_int(lose(&c, &opened, 2), 0);
	for (int i = 1; i < CURSOR_MAX_VAIN; i++)
		check_int(lose(&c, &opened, i % 2 + 1), 0);
	check_int(lose(&c, &opened, 3), 0); /* farther than before */
	for (int i = 1; i < CURSOR_MAX_VAIN; i++)
		check_int(lose(&c, &opened, 3), 0);
	check_int(lose(&c, &opened, 3), -1);
}

/* What comes after some keys is lost: reading them again is no progress. */
static void gives_up_behind_a_key(void)
{
	struct cursor c = {.told = false};
	unsigned opened = 1;
	int status = 0, times = 0;

	while (status == 0 && times++ < 100) {
		cursor_begin(&c);
		check_int(hear(&c, 0, opened, "0"), 0);
		cursor_begin(&c);
		status = lose(&c, &opened, 1);
	}
	check_int(times, CURSOR_MAX_VAIN + 1);
}

static void valid(void)
{
	static const char *const no[] = {"", "x", "1x", "-1", " 1", "123456789012345678901"};
	static const char *const yes[] = {"0", "1", "18446744073709551615"};
	struct redisReply reply;

	for (size_t i = 0; i < sizeof no / sizeof *no; i++) {
		reply = reply_of(REDIS_REPLY_STRING, no[i]);
		check_row(!cursor_valid(&reply), no[i]);
	}
	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
		reply = reply_of(REDIS_REPLY_STRING, yes[i]);
		check_row(cursor_valid(&reply), yes[i]);
		reply.type = REDIS_REPLY_STATUS;
		check_row(!cursor_valid(&reply), yes[i]);
	}
	reply = (struct redisReply){.type = REDIS_REPLY_INTEGER, .integer = 1};
	CHECK(!cursor_valid(&reply));
}

int main(void)
{
	reads_on();
	begins_anew();
	told();
	gives_up();
	gives_up_behind_a_key();
	valid();
	return unit_end();
}
