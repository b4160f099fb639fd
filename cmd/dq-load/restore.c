#include "restore.h"

#include <hiredis.h>
#include <stdio.h>

#include "queue/settings.h"
#include "redis/exchange.h"

static const char *const names[] = {"max-leased", "rate", "max-len"};
enum { MAX_LEASED, RATE, MAX_LEN, NAMES };

/* read_own asks shard 0 which limits of the whole queue it has: those of the dump need not suit
 * its shards then. */
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
		has[i] = call.reply->element[i]->type == REDIS_REPLY_STRING;
	call_free(&call);
	return status;
}

/* set sets what is wanted, if it suits the queue. */
static int set(struct queue *q, const struct settings_wanted *wanted, struct err *e)
{
	struct settings before;
	int status = settings_fit(wanted, q->shards, e);

	if (status == 0)
		status = settings_set(q, wanted, &before, e);
	if (status < 0 && e->status == DQ_USAGE)
		e->status = DQ_DATA;
	return status;
}

int restore_limits(struct queue *q, const struct dump_settings *dumped, struct err *e)
{
	struct settings_wanted wanted = SETTINGS_STAY;
	bool has[NAMES] = {false};
	char until[24];

	if (dumped->pause_until < 0 && dumped->max_leased < 0 && dumped->rate < 0 &&
	    dumped->max_len < 0 && dumped->keys < KEYS_SERIAL && dumped->key_limit < 0 &&
	    dumped->key_pauses.count == 0)
		return 0;
	if (read_own(q, has, e) < 0)
		return -1;
	wanted.lacking = true;
	snprintf(until, sizeof until, "%lld", (long long)dumped->pause_until);
	if (dumped->pause_until >= 0)
		wanted.paused = until;
	if (dumped->max_leased >= 0 && !has[MAX_LEASED])
		wanted.max_leased = dumped->max_leased;
	if (dumped->rate >= 0 && !has[RATE]) {
		wanted.rate = dumped->rate;
		wanted.rate_ms = dumped->rate_ms;
	}
	if (dumped->max_len >= 0 && !has[MAX_LEN])
		wanted.max_len = dumped->max_len;
	if (dumped->keys >= KEYS_SERIAL)
		wanted.keys = dumped->keys;
	if (dumped->key_limit >= 0)
		wanted.key_limit = dumped->key_limit;
	wanted.key_pauses = dumped->key_pauses.list;
	wanted.key_pauses_count = dumped->key_pauses.count;
	return set(q, &wanted, e);
}
