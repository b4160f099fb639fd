#include "tool/patience.h"

#include <stdlib.h>

#include "tool/die.h"

void patience_start(struct opt *o)
{
	static const char name[] = "DQ_RETRY_FOR";
	const char *value = getenv(name);

	o->retry_for = value && value[0] ? opt_duration(name, value) : OPT_BY_URL;
}
