#include "base/reasons.h"

#include <string.h>

#include "base/text.h"

bool reasons_add(struct reasons *r, const struct err *e)
{
	uint64_t hash = text_hash(TEXT_HASH, e->text, strcspn(e->text, "0123456789"));

	for (unsigned i = 0; i < r->count && i < REASONS_MAX; i++)
		if (r->hashes[i] == hash)
			return false;
	r->hashes[r->count++ % REASONS_MAX] = hash;
	return true;
}
