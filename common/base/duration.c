#include "base/duration.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

void duration_age(int64_t ms, char out[DURATION_TEXT])
{
	static const struct {
		int64_t unit, part;
		char name, part_name;
	} spans[] = {{86400000, 3600000, 'd', 'h'}, {3600000, 60000, 'h', 'm'},
		     {60000, 1000, 'm', 's'}};

	if (ms < 0) {
		strcpy(out, "-");
		return;
	}
	for (size_t i = 0; i < sizeof spans / sizeof *spans; i++)
		if (ms >= spans[i].unit) {
			snprintf(out, DURATION_TEXT, "%lld%c%lld%c",
				 (long long)(ms / spans[i].unit), spans[i].name,
				 (long long)(ms % spans[i].unit / spans[i].part),
				 spans[i].part_name);
			return;
		}
	if (ms >= 10000)
		snprintf(out, DURATION_TEXT, "%llds", (long long)(ms / 1000));
	else if (ms >= 1000)
		snprintf(out, DURATION_TEXT, "%lld.%llds", (long long)(ms / 1000),
			 (long long)(ms % 1000 / 100));
	else
		snprintf(out, DURATION_TEXT, "%lldms", (long long)ms);
}

void duration_exact(int64_t ms, char out[DURATION_TEXT])
{
	static const struct {
		int64_t unit;
		const char *name;
	} units[] = {{86400000, "d"}, {3600000, "h"}, {60000, "m"}, {1000, "s"}, {1, "ms"}};
	size_t len = 0;

	strcpy(out, "0s");
	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		if (ms >= units[i].unit)
			len += (size_t)snprintf(out + len, DURATION_TEXT - len, "%lld%s",
						(long long)(ms / units[i].unit), units[i].name);
		ms %= units[i].unit;
	}
}
