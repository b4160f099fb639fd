/* limit: limits of a queue, and why messages that are ready may not be leased now
 * (lua/lib/limits.lua). */
#ifndef DQ_LIMIT_H
#define DQ_LIMIT_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* As the scripts reply it. */
enum limit_why {
	LIMIT_NONE,
	LIMIT_PAUSED,
	LIMIT_RATE,
	LIMIT_LEASED, /* max-leased */
	LIMIT_KEYS    /* the keys of all that is ready are blocked: keys=serial, keys=serial,stop,
	               * key-limit, or their pauses */
};

/* Why nothing of a key is delivered, although one of its messages is ready: lua/lib/blocked.lua. */
enum key_blocked {
	BLOCKED_NOT,
	BLOCKED_LIMIT,  /* as many are leased as key-limit or keys=serial allow */
	BLOCKED_DEAD,   /* keys=serial,stop; perhaps none is ready */
	BLOCKED_PAUSED,
	BLOCKED_RETRY,  /* keys=serial: the first one waits for its next try */
	BLOCKED_UNKNOWN /* takes or promotes have not looked at the key yet */
};

/* How messages with keys are served, as lua/stat.lua replies it. */
enum queue_keys {
	KEYS_NONE, /* there never was a message with a key */
	KEYS_FAIR, /* they take turns */
	KEYS_SERIAL, /* of a key only the first message is delivered */
	KEYS_STOP    /* and a dead message stops its key */
};

/* What lua/set.lua takes (lua/lib/limits.lua). */
#define LIMIT_COUNT_MAX INT64_C(1000000000) /* of max-leased, max-len and key-limit */
#define LIMIT_RATE_MAX 1000000000
#define LIMIT_SPAN_MAX INT64_C(2678400000) /* ms: that of a rate */

#define SETTING_STAYS (-2) /* a limit that is not changed */
#define SETTING_NONE (-1)  /* no limit */

struct key_pause; /* key_pauses.h */

/* What is to be changed. A limit is for the whole queue: see limit_part. keys and key_limit are the
 * same in all shards, because all messages of a key are in one. */
struct settings_wanted {
	const char *paused;    /* "0", "1", or when the pause ends, ms since 1970; borrowed;
	                        * NULL: it stays */
	int64_t max_leased, max_len; /* or SETTING_ */
	int64_t rate, rate_ms; /* at most so many in so many ms; or rate is SETTING_ */
	int64_t keys;          /* KEYS_FAIR, KEYS_SERIAL, KEYS_STOP, or SETTING_STAYS */
	int64_t key_limit;     /* or SETTING_ */
	struct key_pause *key_pauses; /* settings_set notes how each was; borrowed */
	size_t key_pauses_count;
	/* only what the queue does not have; the pause of a load, and one whose time has passed,
	 * is none */
	bool lacking;
};

/* Nothing is changed: to begin with. */
#define SETTINGS_STAY \
	{.max_leased = SETTING_STAYS, .max_len = SETTING_STAYS, .rate = SETTING_STAYS, \
	 .keys = SETTING_STAYS, .key_limit = SETTING_STAYS}

/* keys_word: fair, serial or serial,stop; NULL: no message had a key. keys_parse: by that word;
 * -1: there is no such word. */
const char *keys_word(enum queue_keys keys);
int keys_parse(const char *word);

/* blocked_word: limit, dead, paused, retry or unknown; NULL: not blocked. */
const char *blocked_word(enum key_blocked why);

/* limits_changed: how many settings it changes, without pauses. */
int limits_changed(const struct settings_wanted *wanted);

/* limit_fits: DQ_USAGE and the reason if a limit is too small to be divided among so many shards. A
 * negative one is none; 0 is the same in all shards. */
int limit_fits(const char *name, int64_t limit, int shards, struct err *e);

/* limit_part: that of shard i of so many. */
int64_t limit_part(int64_t limit, int i, int shards);

#endif
