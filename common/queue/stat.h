/* stat: the numbers of a whole queue: all shards are asked, and their replies added up; of a shard
 * (rest is NULL), that one alone. */
#ifndef DQ_QUEUE_STAT_H
#define DQ_QUEUE_STAT_H

#include "queue/limit.h"
#include "queue/queue.h"

struct queue_counts {
	int64_t now, delayed, due, ready, leased, dead;
	int64_t oldest_ready, earliest_due, next_due; /* ms since 1970, -1 = none */
	int64_t paused;     /* 1: the queue, or some of its shards, deliver nothing until resumed */
	int paused_shards, open_shards; /* how many are paused, and how many are not */
	int64_t pause_until;            /* ms since 1970; -1: not paused, or for good */
	/* settings, summed over the shards; -1 = none */
	int64_t max_leased, rate, rate_ms, max_len;
	/* how many have each; if it was set, all */
	int max_leased_shards, rate_shards, max_len_shards;
	enum queue_keys keys; /* what a shard has; if it was set, all */
	int64_t key_limit;  /* the same; -1 = none */
	/* how many have each; serial_shards: keys=serial without stop */
	int serial_shards, stop_shards, key_limit_shards;
	bool key_pauses;    /* a key is paused: queue_key_pauses */
	int64_t begun;      /* deliveries that began within the last rate_ms; -1: no rate */
	enum limit_why why; /* LIMIT_NONE: what is or becomes ready may be leased: in one of the
	                     * shards that have such, else in any */
	int64_t until;      /* ms since 1970: when that may change, in the first of the shards;
	                     * -1 = not known */
	int64_t newest_ready; /* due time of the last ready one, or -1 */
	int64_t retrying;   /* how many failed and are not done or dead yet */
	/* when the one of them was due that was due first, for the first time, -1 = none */
	int64_t first_failing;
	int64_t held;       /* of the delayed: not due until they are promoted by name,
	                     * or put again */
	/* when the first ready message was due that is not delivered because its key is blocked;
	 * the key, and what blocks it. Of those the script has looked at; -1 = none */
	int64_t first_blocked;
	char blocked_key[NAME_KEY_PART_MAX + 1];
	enum key_blocked blocked;
	int64_t oldest_free; /* as oldest_ready, of those that no key holds back */
	/* keys that are paused and have ready messages, and how many messages */
	int64_t paused_keys, paused_messages;
	int64_t expired;    /* of the delayed, due and ready: past their expiry,
	                     * and not removed yet */
	struct call call;   /* holds the counters' text */
	size_t counters;    /* how many */
	struct queue_sum *sums; /* of several shards: those */
};
/* queue_stat_begin suits struct queue_set, too: ctx is not used.
 * queue_stat_end: begun may be NULL, or not begun. */
void queue_stat_begin(void *ctx, struct call *call, struct queue *q);
int queue_stat_end(struct call *begun, struct queue *q, struct queue_counts *out, struct err *e);
int queue_stat(struct queue *q, struct queue_counts *out, struct err *e);
/* queue_counter is the i-th counter of the stat hash; the texts live as long as *counts. */
void queue_counter(const struct queue_counts *counts, size_t i, const char **name,
		   const char **value);
void queue_counts_free(struct queue_counts *counts);

#endif
