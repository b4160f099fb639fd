#include "queue/limit.h"

#include <stddef.h>
#include <string.h>

const char *keys_word(enum queue_keys keys)
{
	static const char *const words[] =
		{[KEYS_FAIR] = "fair", [KEYS_SERIAL] = "serial", [KEYS_STOP] = "serial,stop"};

	return words[keys];
}

int keys_parse(const char *word)
{
	for (int keys = KEYS_FAIR; keys <= KEYS_STOP; keys++)
		if (!strcmp(word, keys_word((enum queue_keys)keys)))
			return keys;
	return -1;
}

const char *blocked_word(enum key_blocked why)
{
	static const char *const words[] = {
		[BLOCKED_NOT] = NULL, [BLOCKED_LIMIT] = "limit", [BLOCKED_DEAD] = "dead",
		[BLOCKED_PAUSED] = "paused", [BLOCKED_RETRY] = "retry",
		[BLOCKED_UNKNOWN] = "unknown"};

	return words[why];
}

int limits_changed(const struct settings_wanted *wanted)
{
	return (wanted->max_leased != SETTING_STAYS) + (wanted->rate != SETTING_STAYS) +
	       (wanted->max_len != SETTING_STAYS) + (wanted->keys != SETTING_STAYS) +
	       (wanted->key_limit != SETTING_STAYS);
}

int limit_fits(const char *name, int64_t limit, int shards, struct err *e)
{
	if (limit <= 0 || limit >= shards)
		return 0;
	return err_set(e, DQ_USAGE,
		       "%s: %lld is less than %d shards: each of them gets a part of a limit, and "
		       "needs at least 1",
		       name, (long long)limit, shards);
}

int64_t limit_part(int64_t limit, int i, int shards)
{
	return (limit + i) / shards;
}
