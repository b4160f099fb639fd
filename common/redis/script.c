#include "redis/script.h"

#include <string.h>

#include "base/text.h"

/* bit_of: two scripts may share a bit. Then a call is sent once in vain,
 * which is slow but correct. */
static uint64_t bit_of(const struct script *script)
{
	return script ? UINT64_C(1) << text_hash(TEXT_HASH, script->sha, strlen(script->sha)) % 64 :
			0;
}

void script_note(struct conn *c, const struct script *script)
{
	c->known |= bit_of(script);
}

bool script_is_known(const struct conn *c, const struct script *script)
{
	return (c->known & bit_of(script)) != 0 || !script;
}
