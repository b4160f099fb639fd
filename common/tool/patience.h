/* patience: the option --retry-for of the tools that try again for a while if Redis cannot be
 * reached, or refuses for now (redis/patience.h). */
#ifndef DQ_TOOL_PATIENCE_H
#define DQ_TOOL_PATIENCE_H

#include "tool/opt.h"

#define PATIENCE_LONG {"retry-for", required_argument, NULL, OPT_RETRY_FOR}

#define PATIENCE_USAGE \
	"      --retry-for DUR      while Redis is unreachable, loading, busy or out of\n" \
	"                           memory, try again for DUR (DQ_RETRY_FOR; default 0,\n" \
	"                           or --timeout if the URL has several hosts or\n" \
	"                           Sentinels)\n"

/* patience_start, after opt_start, reads DQ_RETRY_FOR. opt_common handles the option. */
void patience_start(struct opt *o);

#endif
