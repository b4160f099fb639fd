#include "base/dedup.h"

#include <stdlib.h>

#include "base/text.h"

/* slot_of returns where h is or would be. cap is a power of two and never full. */
static uint64_t *slot_of(uint64_t *slots, size_t cap, uint64_t h)
{
	size_t i = (size_t)h & (cap - 1);

	while (slots[i] && slots[i] != h)
		i = (i + 1) & (cap - 1);
	return &slots[i];
}

/* grow keeps the table at most half full. */
static bool grow(struct dedup *s)
{
	size_t cap = s->cap ? s->cap * 2 : 64;
	uint64_t *slots;

	if (s->count * 2 < s->cap)
		return true;
	if (s->count >= DEDUP_MAX)
		return false;
	slots = calloc(cap, sizeof *slots);
	if (!slots)
		return false;
	for (size_t i = 0; i < s->cap; i++)
		if (s->slots[i])
			*slot_of(slots, cap, s->slots[i]) = s->slots[i];
	free(s->slots);
	s->slots = slots;
	s->cap = cap;
	return true;
}

bool dedup_seen(struct dedup *s, const char *a, size_t a_len, const char *b, size_t b_len)
{
	uint64_t h = text_hash(text_hash(text_hash(TEXT_HASH, a, a_len), "", 1), b, b_len), *slot;
	bool room = grow(s);

	h += h == 0;
	if (s->cap == 0)
		return false;
	slot = slot_of(s->slots, s->cap, h);
	if (*slot == h)
		return true;
	if (room) {
		*slot = h;
		s->count++;
	}
	return false;
}

void dedup_free(struct dedup *s)
{
	free(s->slots);
	s->slots = NULL;
	s->cap = s->count = 0;
}
