#include "queue/stat.h"

#include <hiredis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "queue/shards.h"
#include "redis/reply.h"

#define STAT_NUMBERS 29
#define STAT_TEXTS 1 /* behind the numbers, before the counters */
#define COUNTER_MAX (INT64_C(1) << 53)

struct queue_sum {
	char name[40];
	int64_t value;
	char text[24];
};

void queue_stat_begin(void *ctx, struct call *call, struct queue *q)
{
	(void)ctx;
	queue_call(call, &script_stat, q);
	exchange_add(q->x, call, NULL);
}

/* read_limits: pause: as replied: 0, 1, or its end. */
static void read_limits(struct queue_counts *out, int64_t pause, int64_t keys, int64_t why)
{
	out->paused = pause != 0;
	out->pause_until = pause > 1 ? pause : -1;
	out->paused_shards = out->paused != 0;
	out->open_shards = !out->paused;
	out->max_leased_shards = out->max_leased >= 0;
	out->rate_shards = out->rate >= 0;
	out->max_len_shards = out->max_len >= 0;
	out->keys = keys >= KEYS_FAIR && keys <= KEYS_STOP ? (enum queue_keys)keys : KEYS_NONE;
	out->serial_shards = out->keys == KEYS_SERIAL;
	out->stop_shards = out->keys == KEYS_STOP;
	out->key_limit_shards = out->key_limit >= 0;
	out->why = why >= LIMIT_PAUSED && why <= LIMIT_KEYS ? (enum limit_why)why : LIMIT_NONE;
}

/* read_blocked: a key that is none counts as no blocked key. */
static void read_blocked(struct queue_counts *out, int64_t why, const struct redisReply *key)
{
	if (why > BLOCKED_NOT && why <= BLOCKED_UNKNOWN && name_key_valid(key->str, key->len)) {
		out->blocked = (enum key_blocked)why;
		snprintf(out->blocked_key, sizeof out->blocked_key, "%s", key->str);
	} else {
		out->first_blocked = -1;
	}
}

void queue_counter(const struct queue_counts *counts, size_t i, const char **name,
		   const char **value)
{
	struct redisReply **at = counts->call.reply->element + STAT_NUMBERS +
				   STAT_TEXTS + i * 2;

	*name = counts->sums ? counts->sums[i].name : at[0]->str;
	*value = counts->sums ? counts->sums[i].text : at[1]->str;
}

/* has_letter: of the field limits of a shard (lua/lib/limits.lua). */
static bool has_letter(const struct queue_counts *counts, char letter)
{
	const char *name, *value;

	for (size_t i = 0; i < counts->counters; i++) {
		queue_counter(counts, i, &name, &value);
		if (!strcmp(name, "limits"))
			return strchr(value, letter) != NULL;
	}
	return false;
}

/* read_counts waits for the call, which out gets. */
static int read_counts(struct call *call, struct queue_counts *out, struct err *e)
{
	int64_t pause = 0, keys = 0, why = 0, blocked = 0;
	int64_t *const numbers[STAT_NUMBERS] = {
		&out->now, &out->delayed, &out->due, &out->ready, &out->leased, &out->dead,
		&out->oldest_ready, &out->earliest_due, &out->next_due, &pause, &out->max_leased,
		&out->rate, &out->rate_ms, &out->max_len, &keys, &out->key_limit, &out->begun, &why,
		&out->until, &out->expired, &out->newest_ready, &out->retrying, &out->first_failing,
		&out->held, &out->first_blocked, &blocked, &out->oldest_free, &out->paused_keys,
		&out->paused_messages};
	int status = exchange_end(call, NULL, e);
	struct redisReply *reply;

	memset(out, 0, sizeof *out);
	out->call = *call;
	memset(call, 0, sizeof *call);
	if (status < 0)
		return -1;
	reply = out->call.reply;
	if (!reply_is_array(reply, STAT_NUMBERS, REDIS_REPLY_INTEGER) ||
	    reply->elements < STAT_NUMBERS + STAT_TEXTS)
		return call_unexpected(&out->call, e);
	for (size_t i = STAT_NUMBERS; i < reply->elements; i++)
		if (reply->element[i]->type != REDIS_REPLY_STRING)
			return call_unexpected(&out->call, e);
	for (size_t i = 0; i < STAT_NUMBERS; i++)
		*numbers[i] = reply->element[i]->integer;
	read_limits(out, pause, keys, why);
	read_blocked(out, blocked, reply->element[STAT_NUMBERS]);
	out->counters = (reply->elements - STAT_NUMBERS - STAT_TEXTS) / 2;
	out->key_pauses = has_letter(out, 'h');
	return 0;
}

void queue_counts_free(struct queue_counts *counts)
{
	free(counts->sums);
	counts->sums = NULL;
	counts->counters = 0;
	call_free(&counts->call);
}

/* --- the sum of several shards --- */

static int64_t value_of(const char *text)
{
	struct err odd;
	int64_t n;

	return num_parse(text, 0, COUNTER_MAX, "counter", &n, &odd) == 0 ? n : 0;
}

/* is_a_state: the value is no count of events, but the same in all shards,
 * or of one of them: the greatest counts. */
static bool is_a_state(const char *name)
{
	static const char *const states[] = {"token", "armed", "generation", "listed", "loaded",
					     "loading", "claim", "shards", NULL};
	int i = 0;

	while (states[i] && strcmp(states[i], name) != 0)
		i++;
	return states[i] != NULL;
}

/* sum_of ignores long foreign names, which no caller asks for. */
static struct queue_sum *sum_of(struct queue_sum *sums, size_t *count, const char *name)
{
	size_t i = 0;

	while (i < *count && strncmp(sums[i].name, name, sizeof sums->name - 1) != 0)
		i++;
	if (i == *count)
		snprintf(sums[(*count)++].name, sizeof sums->name, "%s", name);
	return &sums[i];
}

/* add_counters adds the counters of c to sums, which has room. */
static void add_counters(struct queue_sum *sums, size_t *count, const struct queue_counts *c)
{
	const char *name, *text;

	for (size_t i = 0; i < c->counters; i++) {
		struct queue_sum *sum;
		int64_t value;
		queue_counter(c, i, &name, &text);
		value = value_of(text);
		sum = sum_of(sums, count, name);
		sum->value = !is_a_state(name)  ? sum->value + value :
			     value > sum->value ? value :
						  sum->value;
		snprintf(sum->text, sizeof sum->text, "%lld", (long long)sum->value);
	}
}

static int64_t sooner(int64_t a, int64_t b)
{
	return a < 0 || (b >= 0 && b < a) ? b : a;
}

/* total: of limits; -1 = none. */
static int64_t total(int64_t a, int64_t b)
{
	return a < 0 ? b : b < 0 ? a : a + b;
}

/* add_why: what may be taken from one shard may be taken; but a shard in which nothing waits does
 * not count if something waits in another one: all messages of a key are in one shard, and its
 * limit holds all of them back. */
static void add_why(struct queue_counts *sum, const struct queue_counts *c)
{
	bool waits = sum->ready + sum->due > 0;

	if (waits == (c->ready + c->due > 0)) {
		sum->until = sum->why && c->why ? sooner(sum->until, c->until) : -1;
		sum->why = !sum->why || !c->why ? LIMIT_NONE :
			   c->why > sum->why    ? c->why :
						  sum->why;
	} else if (!waits) {
		sum->until = c->until;
		sum->why = c->why;
	}
}

/* add_limits: a pause for good is the last one to end. */
static void add_limits(struct queue_counts *sum, const struct queue_counts *c)
{
	bool for_good = (sum->paused && sum->pause_until < 0) || (c->paused && c->pause_until < 0);

	sum->pause_until = for_good                          ? -1 :
			   c->pause_until > sum->pause_until ? c->pause_until :
							       sum->pause_until;
	sum->paused = sum->paused || c->paused;
	sum->paused_shards += c->paused_shards;
	sum->open_shards += c->open_shards;
	sum->max_leased_shards += c->max_leased_shards;
	sum->rate_shards += c->rate_shards;
	sum->max_len_shards += c->max_len_shards;
	sum->max_leased = total(sum->max_leased, c->max_leased);
	sum->rate = total(sum->rate, c->rate);
	sum->rate_ms = c->rate_ms > sum->rate_ms ? c->rate_ms : sum->rate_ms;
	sum->max_len = total(sum->max_len, c->max_len);
	sum->keys = c->keys > sum->keys ? c->keys : sum->keys;
	sum->key_limit = c->key_limit > sum->key_limit ? c->key_limit : sum->key_limit;
	sum->serial_shards += c->serial_shards;
	sum->stop_shards += c->stop_shards;
	sum->key_limit_shards += c->key_limit_shards;
	sum->key_pauses = sum->key_pauses || c->key_pauses;
	sum->begun = total(sum->begun, c->begun);
}

/* add_blocked: all messages of a key are in one shard. */
static void add_blocked(struct queue_counts *sum, const struct queue_counts *c)
{
	if (c->first_blocked >= 0 &&
	    (sum->first_blocked < 0 || c->first_blocked < sum->first_blocked)) {
		sum->first_blocked = c->first_blocked;
		sum->blocked = c->blocked;
		memcpy(sum->blocked_key, c->blocked_key, sizeof sum->blocked_key);
	}
	sum->oldest_free = sooner(sum->oldest_free, c->oldest_free);
	sum->paused_keys += c->paused_keys;
	sum->paused_messages += c->paused_messages;
}

static void add_numbers(struct queue_counts *sum, const struct queue_counts *c)
{
	add_why(sum, c); /* before the sums change */
	sum->now = c->now > sum->now ? c->now : sum->now;
	sum->delayed += c->delayed;
	sum->due += c->due;
	sum->ready += c->ready;
	sum->leased += c->leased;
	sum->dead += c->dead;
	sum->oldest_ready = sooner(sum->oldest_ready, c->oldest_ready);
	sum->earliest_due = sooner(sum->earliest_due, c->earliest_due);
	sum->next_due = sooner(sum->next_due, c->next_due);
	add_limits(sum, c);
	add_blocked(sum, c);
	sum->expired += c->expired;
	sum->retrying += c->retrying;
	sum->held += c->held;
	sum->first_failing = sooner(sum->first_failing, c->first_failing);
	sum->newest_ready = c->newest_ready > sum->newest_ready ? c->newest_ready :
								  sum->newest_ready;
}

static int add(struct queue_counts *sum, const struct queue_counts *c, struct err *e)
{
	struct queue_sum *sums = calloc(sum->counters + c->counters + 1, sizeof *sums);
	size_t count = 0;

	if (!sums)
		return err_memory(e);
	add_counters(sums, &count, sum);
	add_counters(sums, &count, c);
	free(sum->sums);
	sum->sums = sums;
	sum->counters = count;
	add_numbers(sum, c);
	return 0;
}

static int add_shard(void *ctx, struct queue *shard, struct call *call, struct err *e)
{
	struct queue_counts *sum = ctx, counts;
	int status;

	if (!shard->shard || shard->shards == 1 || !sum->call.reply) {
		queue_counts_free(sum);
		return read_counts(call, sum, e);
	}
	status = read_counts(call, &counts, e);
	if (status == 0)
		status = add(sum, &counts, e);
	queue_counts_free(&counts);
	return status;
}

int queue_stat_end(struct call *begun, struct queue *q, struct queue_counts *out, struct err *e)
{
	memset(out, 0, sizeof *out);
	return shards_together(q, begun, queue_stat_begin, add_shard, out, e);
}

int queue_stat(struct queue *q, struct queue_counts *out, struct err *e)
{
	return queue_stat_end(NULL, q, out, e);
}
