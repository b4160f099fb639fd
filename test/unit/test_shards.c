/* Goal: where the shards of a queue are, and which has a message, never changes: messages that are there would be lost. */
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
}

int main(void)
{
	numbers();
	spread();
	ids();
	return unit_end();
}
