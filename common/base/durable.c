#include "base/durable.h"

#include <stdio.h>
#include <string.h>

#include "base/num.h"

int durable_parse(const char *text, const char *name, struct durable *d, struct err *e)
{
	const char *comma = strchr(text, ',');
	size_t len = comma ? (size_t)(comma - text) : strlen(text);
	int64_t replicas, ms = d->ms;
	char count[16], why[sizeof e->text];

	if (len >= sizeof count)
		return err_set(e, DQ_USAGE, "%s: N or N,DUR, N from 0 to %d", name,
			       DURABLE_REPLICAS_MAX);
	memcpy(count, text, len);
	count[len] = 0;
	if (num_parse(count, 0, DURABLE_REPLICAS_MAX, name, &replicas, e) < 0)
		return -1;
	if (comma && num_duration(comma + 1, &ms, e) < 0) {
		snprintf(why, sizeof why, "%s", e->text);
		return err_set(e, DQ_USAGE, "%s: %s", name, why);
	}
	if (ms < 1)
		return err_set(e, DQ_USAGE, "%s: DUR is at least 1ms", name);
	d->replicas = (int)replicas;
	d->ms = ms;
	return 0;
}
