#include "tool/holding.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/holder.h"
#include "tool/die.h"

#define HOST_MAX 64 /* of Linux */

const char *holding_name(pid_t pid)
{
	static char own[HOLDER_MAX + 1];
	const char *chosen = getenv("DQ_WORKER");
	char host[HOST_MAX + 1] = "";

	if (chosen && *chosen) {
		if (!holder_valid(chosen))
			die(DQ_CONFIG, "DQ_WORKER: not 1 to %d printable characters without blanks",
			    HOLDER_MAX);
		return chosen;
	}
	if (gethostname(host, sizeof host) < 0 || !memchr(host, 0, sizeof host) || !*host)
		strcpy(host, "unknown");
	holder_printable(host);
	snprintf(own, sizeof own, "%s:%lld", host, (long long)pid);
	return own;
}
