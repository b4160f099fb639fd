/* queue: one queue, or one shard, on one connection; stat.h and questions.h ask all shards. For
 * many messages see pipeline.h. The functions borrow their arguments for the call, and fill structs
 * of the caller. On an error the result is empty. */
#ifndef DQ_QUEUE_H
#define DQ_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/name.h"
#include "redis/exchange.h"
#include "redis/script.h"

/* Defaults. lua/lib/constants.lua has them, too, and dq-scripts(7). */
#define QUEUE_TTR_MS 60000
#define QUEUE_TRIES 5
#define QUEUE_PRIORITY 100
#define QUEUE_BACKOFF "1000,10000,60000,600000" /* ms; lua/lib/backoff.lua */
#define QUEUE_PAYLOAD_MAX (1 << 20)      /* without --max-bytes */
#define QUEUE_PAYLOAD_HARD_MAX (16 << 20)
#define QUEUE_FOREIGN "foreign id"       /* the reason of a message that was set aside;
                                          * lua/lib/foreign.lua */
#define QUEUE_CALL_MAX 1000              /* messages that a script accepts in one call */
#define QUEUE_BATCH 125                  /* messages in our calls: they are so short that other
                                          * clients hardly wait */
#define QUEUE_TOGETHER 16                /* queues, or shards, whose calls are begun together: a
                                          * server works on so many of our calls before it serves
                                          * other clients. With 16 it is never idle, and other
                                          * clients hardly wait */
#define QUEUE_BATCH_BYTES (1 << 20)      /* bytes in our calls, about */

struct queue {
	struct exchange *x; /* it never changes; in a cluster each call finds its node */
	char name[NAME_MAX_BYTES + 1];
	char registry[NAME_KEY_MAX];
	char newcomers[NAME_KEY_MAX];
	struct name_keys keys;
	int shards;         /* of the whole queue, as far as is known: 1 at first (shards.h) */
	int shard;          /* which of them this is, from 0 on */
	char shard_text[12]; /* the same as an argument; "" if the queue has one shard */
	struct queue *rest; /* the other shards, if this one stands for the whole queue; else NULL.
	                     * Points into groups */
	/* each number of shards that was known; a pointer to a shard stays valid until
	 * queue_free */
	struct shard_group *groups;
	int64_t learnt_at;   /* clock_ms, when it last learnt the number of shards; learnt: how
	                      * often in a row (shards_learn) */
	int learnt;
	char now_arg[16];    /* what each script gets first: no time, and that number */
	bool foreign;     /* a listing found an id that a foreign client wrote */
	char notice[256]; /* an escaped sentence about such ids, for notice_say, which empties it;
	                   * "" = none */
};

/* The shards of a queue but for the first, for one number of shards. */
struct shard_group {
	struct shard_group *next;
	int count; /* with the first */
	struct queue shards[];
};

/* queue_init: prefix and name must be valid. */
void queue_init(struct queue *q, struct exchange *x, const char *prefix, const char *name);

/* queue_free frees all shards; x stays. */
void queue_free(struct queue *q);

/* queue_call makes a call of a script for q: keys and first argument. */
void queue_call(struct call *call, const struct script *script, const struct queue *q);

struct queue_moved {
	int64_t promoted; /* delayed -> ready */
	int64_t back;     /* leased -> ready: the lease has expired */
	int64_t died;     /* leased -> dead: and the tries are used up */
	int64_t expired;  /* delayed, ready -> gone: past their expiry */
	bool more;        /* call again */
	int64_t now_us;   /* server's clock */
	int64_t next;     /* server's ms: next due time or lease end, -1 = none */
};

/* What a call to a queue releases: the time of the timer mark that the waiter holds, if any.
 * waiter_held says which. */
struct held {
	enum { HELD_NOTHING, HELD_TIME, HELD_LOST } what; /* HELD_LOST: a mark may have been lost */
	int64_t ms; /* HELD_TIME: server's */
};
#define HELD_TEXT 24
const char *queue_held(struct held held, char text[HELD_TEXT]); /* as an argument of scripts */

/* X_begin begins a call, and X_end waits for it, reads its reply, and frees it. In between the tool
 * may begin others. X does both. All texts are borrowed from begin to end. */

/* at most QUEUE_BATCH, nothing held; ctx is not used */
void queue_promote_begin(void *ctx, struct call *call, struct queue *q);
int queue_promote_end(struct call *call, struct queue_moved *out, struct err *e);
int queue_promote(struct queue *q, int limit, struct held held, struct queue_moved *out,
		  struct err *e);

/* queue_purge removes at most QUEUE_BATCH messages that have been dead for keep ms, and as
 * many expired ones. With dry it only finds them, after the first skip. each gets their
 * ids; DQ_REPORTED: each returned less than 0. *n: how many; *more: there may be more.
 * Unless dry it also removes as many reserved ids whose time is over. *empty: no message is
 * left (never with dry). queue_purge_begin: with skip 0, and keep as text. */
void queue_purge_begin(struct call *call, struct queue *q, const char *keep, bool dry);
int queue_purge_end(struct call *call, int (*each)(void *ctx, const char *id), void *ctx,
		    int64_t *n, bool *more, bool *empty, struct err *e);
int queue_purge(struct queue *q, int64_t keep, bool dry, int64_t skip,
		int (*each)(void *ctx, const char *id), void *ctx, int64_t *n, bool *more,
		bool *empty, struct err *e);

/* queue_exists: does the queue exist? It does from its first put until forget removes it. It calls
 * TYPE, which every role may do. */
void queue_exists_begin(struct call *call, struct queue *q);
int queue_exists_end(struct call *call, struct queue *q, bool *exists, struct err *e);
int queue_exists(struct queue *q, bool *exists, struct err *e);

/* queue_mark returns a mark for waiting tools to PART_WAKE, PART_TIMER or PART_GUARD; held is its
 * score. Only for PART_TIMER may it be HELD_LOST. */
int queue_mark(struct queue *q, enum name_part part, struct held held, const struct wait *wait,
	       struct err *e);

#endif
