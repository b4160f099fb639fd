/* meaning: what each letter that put.lua replies means for the user. */
#ifndef DQ_MEANING_H
#define DQ_MEANING_H

#include <stdbool.h>

#include "base/err.h"
#include "message/letters.h"
#include "bulk/pipeline.h"

struct meaning {
	enum put_letter letter;
	enum status status;
	const char *text;
};

/* meaning_of a result. made: no other client knows the id, so the existing message is the one
 * that the first sending put. expires: the messages have an expiry. keeps: -e keep. Static
 * data; never NULL. */
const struct meaning *meaning_of(const struct pipeline_result *r, bool made, bool expires,
				 bool keeps);

#endif
