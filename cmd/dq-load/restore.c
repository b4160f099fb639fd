#include "restore.h"

#include <hiredis.h>
#include <stdio.h>
#include <string.h>

#include "queue/settings.h"
#include "queue/whole.h"
#include "redis/exchange.h"

static const char *const names[] = {"paused", "max-leased", "rate", "max-len", "keys", "key-limit"};
enum { PAUSED, MAX_LEASED, RATE, MAX_LEN, SERVED, KEY_LIMIT, NAMES };

/* read_own asks shard 0 which settings the queue has. */
static int read_own(struct queue *q, bool has[NAMES], struct err *e)
{
	struct call call = {0};
	int status;

	call_read(&call, "HMGET");
	call_key(&call, q->keys.key[PART_CONF], q->keys.len[PART_CONF]);
	for (int i = 0; i < NAMES; i++)
		call_text(&call, names[i]);
	status = exchange_run(q->x, &call, NULL, e);
	if (status == 0 && (call.reply->type != REDIS_REPLY_ARRAY || call.reply->elements != NAMES))
		status = call_unexpected(&call, e);
	for (int i = 0; status == 0 && i < NAMES; i++)
		has[i] = call.reply->element[i]->type == REDIS_REPLY_STRING &&
			 (i != PAUSED || strcmp(call.reply->element[i]->str, "load") != 0);
	call_free(&call);
	return status;
}

/* lacking: those that the queue does not have. */
static int lacking(struct queue *q, const struct key_pauses *dumped, struct key_pauses *out, struct err *e)
{
	struct key_pauses own = {NULL, 0, 0};
	int status = dumped->count ? queue_key_pauses(q, -1, &own, e) : 0;

	for (size_t i = 0; i < dumped->count && status == 0; i++) {
		const char *key = key_pause_key(&dumped->list[i]);
		if (!key_pauses_find(&own, key, strlen(key)) && !key_pauses_add(out, key, strlen(key), dumped->list[i].until))
			status = err_memory(e);
	}
	key_pauses_free(&own);
	return status;
}

/* set sets what is wanted, if it suits the queue. */
static int set(struct queue *q, const struct settings_wanted *wanted, struct err *e)
{
	struct settings before;

	if (settings_fit(wanted, q->shards, e) < 0) {
		e->status = DQ_DATA;
		return -1;
	}
	return settings_set(q, wanted, &before, e);
}

int restore_limits(struct queue *q, const struct dump_settings *dumped, struct err *e)
{
	struct settings_wanted wanted = SETTINGS_STAY;
	struct key_pauses key_pauses = {NULL, 0, 0};
	bool has[NAMES];
	char until[24];
	int status;

	if (dumped->pause_until < 0 && dumped->max_leased < 0 && dumped->rate < 0 && dumped->max_len < 0 &&
	    dumped->keys < KEYS_SERIAL && dumped->key_limit < 0 && dumped->key_pauses.count == 0)
		return 0;
	if (read_own(q, has, e) < 0)
		return -1;
	snprintf(until, sizeof until, "%lld", (long long)dumped->pause_until);
	if (dumped->pause_until >= 0 && !has[PAUSED])
		wanted.paused = until;
	if (dumped->max_leased >= 0 && !has[MAX_LEASED])
		wanted.max_leased = dumped->max_leased;
	if (dumped->rate >= 0 && !has[RATE]) {
		wanted.rate = dumped->rate;
		wanted.rate_ms = dumped->rate_ms;
	}
	if (dumped->max_len >= 0 && !has[MAX_LEN])
		wanted.max_len = dumped->max_len;
	if (dumped->keys >= KEYS_SERIAL && !has[SERVED])
		wanted.keys = dumped->keys;
	if (dumped->key_limit >= 0 && !has[KEY_LIMIT])
		wanted.key_limit = dumped->key_limit;
	status = lacking(q, &dumped->key_pauses, &key_pauses, e);
	wanted.key_pauses = key_pauses.list;
	wanted.key_pauses_count = key_pauses.count;
	if (status == 0)
		status = set(q, &wanted, e);
	key_pauses_free(&key_pauses);
	return status;
}
