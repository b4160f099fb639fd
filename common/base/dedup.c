#include "base/dedup.h"

#include <stdlib.h>

#include "base/text.h"

/* find_cell returns where h is or would be. cap is a power of two and never full. */
static uint64_t *find_cell(uint64_t *cells, size_t cap, uint64_t h)
{
	size_t i = (size_t)h & (cap - 1);

	while (cells[i] && cells[i] != h)
		i = (i + 1) & (cap - 1);
	return &cells[i];
}

/* grow keeps the table at most half full. */
static bool grow(struct dedup *s)
{
	size_t cap = s->cap ? s->cap * 2 : 64;
	uint64_t *cells;

	if (s->count * 2 < s->cap)
		return true;
	if (s->count >= DEDUP_MAX)
		return false;
	cells = calloc(cap, sizeof *cells);
	if (!cells)
		return false;
	for (size_t i = 0; i < s->cap; i++)
		if (s->cells[i])
			*find_cell(cells, cap, s->cells[i]) = s->cells[i];
	free(s->cells);
	s->cells = cells;
	s->cap = cap;
	return true;
}

bool dedup_seen(struct dedup *s, const char *a, size_t a_len, const char *b, size_t b_len)
{
	uint64_t h = text_hash(text_hash(text_hash(TEXT_HASH, a, a_len), "", 1), b, b_len), *cell;
	bool room = grow(s);

	h += h == 0;
	if (s->cap == 0)
		return false;
	cell = find_cell(s->cells, s->cap, h);
	if (*cell == h)
		return true;
	if (room) {
		*cell = h;
		s->count++;
	}
	return false;
}

void dedup_free(struct dedup *s)
{
	free(s->cells);
	s->cells = NULL;
	s->cap = s->count = 0;
}
