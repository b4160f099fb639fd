/* explore: all states that can be reached from a first one, breadth first, so that the way to each
 * is a shortest one. A model includes this, defines struct state (of bytes only: it is compared
 * whole) and calls explore_add for each successor of explore_at. */
#ifndef DQ_EXPLORE_H
#define DQ_EXPLORE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct state *explore_states;
static uint32_t *explore_from, *explore_table; /* the state before; number + 1 by hash */
static uint16_t *explore_by;                   /* the model's word for the step */
static size_t explore_count, explore_room, explore_slots, explore_now, explore_most = 20000000;

static void explore_fail(const char *why)
{
	fprintf(stderr, "model: %s\n", why);
	exit(2);
}

/* A number of a model that its command line sets. */
struct explore_number {
	const char *name;
	int *value;
};

/* explore_set does what the word says: NAME=NUMBER, of one of the n names. */
static void explore_set(const char *word, const struct explore_number *names, size_t n)
{
	const char *equals = strchr(word, '=');

	for (size_t i = 0; equals && i < n; i++)
		if (strlen(names[i].name) == (size_t)(equals - word) &&
		    !strncmp(names[i].name, word, (size_t)(equals - word))) {
			*names[i].value = atoi(equals + 1);
			return;
		}
	explore_fail(word);
}

static size_t explore_hash(const struct state *s)
{
	const unsigned char *byte = (const unsigned char *)s;
	uint64_t h = UINT64_C(1469598103934665603);

	for (size_t i = 0; i < sizeof *s; i++)
		h = (h ^ byte[i]) * UINT64_C(1099511628211);
	return (size_t)(h ^ h >> 29);
}

static void *explore_resize(void *old, size_t size)
{
	void *new = realloc(old, size);

	if (!new)
		explore_fail("out of memory");
	return new;
}

static void explore_grow(void)
{
	explore_room = explore_room ? explore_room * 2 : 1 << 16;
	explore_states = explore_resize(explore_states, explore_room * sizeof *explore_states);
	explore_from = explore_resize(explore_from, explore_room * sizeof *explore_from);
	explore_by = explore_resize(explore_by, explore_room * sizeof *explore_by);
	explore_slots = explore_room * 4;
	explore_table = explore_resize(explore_table, explore_slots * sizeof *explore_table);
	memset(explore_table, 0, explore_slots * sizeof *explore_table);
	for (size_t i = 0; i < explore_count; i++) {
		size_t k = explore_hash(&explore_states[i]) & (explore_slots - 1);
		while (explore_table[k])
			k = (k + 1) & (explore_slots - 1);
		explore_table[k] = (uint32_t)i + 1;
	}
}

static void explore_add(const struct state *s, uint16_t by)
{
	size_t k;

	if (explore_count == explore_room)
		explore_grow();
	k = explore_hash(s) & (explore_slots - 1);
	for (; explore_table[k]; k = (k + 1) & (explore_slots - 1))
		if (!memcmp(&explore_states[explore_table[k] - 1], s, sizeof *s))
			return;
	if (explore_count == explore_most)
		explore_fail("too many states");
	explore_states[explore_count] = *s;
	explore_from[explore_count] = (uint32_t)explore_now;
	explore_by[explore_count] = by;
	explore_table[k] = (uint32_t)++explore_count;
}

/* explore_at: the next state to be expanded, a copy; 0 when there is none left. */
static int explore_at(struct state *s)
{
	static size_t next;

	if (next == explore_count)
		return 0;
	explore_now = next++;
	*s = explore_states[explore_now];
	return 1;
}

/* explore_way calls each with every state on the way to the i-th, and the step that led to it. */
static void explore_way(size_t i, void (*each)(const struct state *s, uint16_t by))
{
	if (i == 0)
		return;
	explore_way(explore_from[i], each);
	each(&explore_states[i], explore_by[i]);
}

#endif
