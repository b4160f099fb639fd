/* Goal: where the shards of a queue are, and which has a message, never changes: messages that are
 * there would be lost. */
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "queue/shards.h"
#include "redis/slot.h"

static void numbers(void)
{
	static const unsigned want[6] = {0, 1, 2, 12, 3, 4};
	unsigned got[SHARDS_MAX];

	shards_numbers("mail", 6, got);
	for (int i = 0; i < 6; i++)
		check_int(got[i], want[i]);
}

/* Each part of the slots has one, whatever the count. */
static void spread(void)
{
	char tag[40];

	for (int count = 2; count <= SHARDS_MAX; count++) {
		unsigned got[SHARDS_MAX];
		bool there[SHARDS_MAX] = {false};
		shards_numbers("q", count, got);
		for (int i = 0; i < count; i++) {
			snprintf(tag, sizeof tag, got[i] ? "q/%u" : "q", got[i]);
			there[slot_of(tag, strlen(tag)) * (unsigned)count / SLOTS] = true;
		}
		for (int i = 0; i < count; i++)
			CHECK(there[i]);
	}
}

static void ids(void)
{
	check_int(slot_crc16("123456789", 9), 0x31c3);
	check_int(shards_of(6, "123456789", 9), 0x31c3 % 6);
	check_int(shards_of(64, "a", 1), 0x7c87 % 64);
	check_int(shards_of(1, "a", 1), 0);
	check_int(shards_of(64, "a+1", 3), 0x7c87 % 64); /* that of the key */
	check_int(shards_of(64, "a+other", 7), 0x7c87 % 64);
}

/* The number may change while a caller uses a shard: that stays as it was,
 * and is the same if the number comes back. */
static void other_number(void)
{
	struct queue q, *shard;
	struct err e;

	queue_init(&q, NULL, "dq", "q");
	check_int(shards_set(&q, 3, &e), 0);
	shard = shards_at(&q, 2);
	for (int count = 1; count <= 8; count++) {
		check_int(shards_set(&q, count, &e), 0);
		check_int(q.shards, count);
		check_text(shard->now_arg, "/3");
		check_int(shard->shard, 2);
		check_int(count > 2 && shards_at(&q, 2) == shard, count == 3);
	}
	queue_free(&q);
}

int main(void)
{
	other_number();
	numbers();
	spread();
	ids();
	return unit_end();
}
