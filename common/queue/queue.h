/* queue: one queue on one connection. Typed calls of the scripts that move few things; items by the thousand go through
 * pipeline.h. Arguments are borrowed for the call; results go into a struct the caller owns. On an error the result is empty. */
#ifndef DQ_QUEUE_H
#define DQ_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/name.h"
#include "queue/sent.h"
#include "redis/conn.h"
#include "redis/script.h"

/* Defaults. lua/lib/record.lua mirrors them: change both, and dq-scripts(7). */
#define QUEUE_TTR_MS 60000
#define QUEUE_TRIES 5
#define QUEUE_PRIORITY 100
#define QUEUE_BACKOFF "1000,10000,60000,600000" /* ms; lua/lib/backoff.lua */
#define QUEUE_PAYLOAD_MAX (1 << 20)      /* without --max-bytes */
#define QUEUE_PAYLOAD_HARD_MAX (16 << 20)
#define QUEUE_FOREIGN "foreign id"       /* the reason of what was set aside; lua/lib/foreign.lua */
#define QUEUE_CALL_MAX 1000              /* messages that a script takes on in one call */
#define QUEUE_BATCH 250                  /* what we ask of it: a call is then so short that others hardly wait */
#define QUEUE_BATCH_BYTES (1 << 20)      /* and about so many bytes */

struct queue {
	struct conn *conn;
	char name[NAME_MAX_BYTES + 1];
	char registry[NAME_KEY_MAX];
	char newcomers[NAME_KEY_MAX];
	struct name_keys keys;
	int shards;         /* of the whole queue, as far as is known: 1 at first (shards.h) */
	int shard;          /* which of them this is, from 0 on */
	char shard_text[12]; /* the same as an argument; "" if there is one */
	struct queue *rest; /* of shard 0 if it stands for the whole: the others; or NULL */
	char given[16];     /* what each script gets first: no time, and that number */
	struct queue_ahead *ahead; /* NULL: none. The first call that is the same, or of the same script, gets its answer */
	bool foreign;     /* a listing found an id that a foreign client wrote */
	char notice[240]; /* what is to be told of such ids, a sentence, escaped; "": nothing, or notice_say has told it */
};

/* queue_init: prefix and name must be valid. queue_free, after that, frees what was learnt; conn stays. */
void queue_init(struct queue *q, struct conn *conn, const char *prefix, const char *name);
void queue_free(struct queue *q);

/* queue_call begins a call of a script for q: keys and first argument. */
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

/* What a call gives up that looks at a queue: the time of the timer that was held (server's ms), or one of these. waiter_held says
 * which. */
#define HELD_NONE (-1)
#define HELD_LOST (-2) /* a mark may have been lost */
#define HELD_TEXT 24
const char *queue_held(int64_t held, char text[HELD_TEXT]); /* as an argument of scripts */

void queue_promote_ahead(struct call *call, struct queue *q); /* with a limit of QUEUE_BATCH, and nothing held */
int queue_promote(struct queue *q, int limit, int64_t held, struct queue_moved *out, struct err *e);

struct queue_counts {
	int64_t now, delayed, due, ready, leased, dead;
	int64_t oldest_ready, earliest_due, next_due; /* ms since 1970, -1 = none */
	int64_t paused;     /* 1: gives nothing until it is resumed; or some of its shards do */
	int paused_shards, open_shards; /* how many are paused, and how many are not */
	int64_t newest_ready; /* due time of the last ready one, or -1 */
	int64_t expired;    /* of the delayed, due and ready: past their expiry, and not yet dropped */
	struct call call;   /* holds the counters' text */
	size_t counters;    /* how many */
	struct queue_sum *sums; /* of several shards: those */
};
void queue_stat_ahead(struct call *call, struct queue *q);
/* queue_stat is of the whole queue, as are queue_pause, queue_token and queue_lease_end: of all of its shards, if it has several. */
int queue_stat(struct queue *q, struct queue_counts *out, struct err *e);
/* queue_counter is the i-th counter of the stat hash; the texts live as long as *counts. */
void queue_counter(const struct queue_counts *counts, size_t i, const char **name, const char **value);
void queue_counts_free(struct queue_counts *counts);

/* queue_purge drops at most QUEUE_BATCH of the dead older than keep ms, and as many that are past their expiry, or with dry only
 * finds those after the first skip.
 * each gets their ids, *n is how many, *more whether there may be more; DQ_SAID: each returned less than 0. Unless dry it also forgets
 * as many ids of settled messages that are no longer kept unique. *empty: no message is left (never with dry). */
void queue_purge_ahead(struct call *call, struct queue *q, const char *keep, bool dry); /* with skip 0; keep as text, borrowed */
int queue_purge(struct queue *q, int64_t keep, bool dry, int64_t skip, int (*each)(void *ctx, const char *id), void *ctx,
		int64_t *n, bool *more, bool *empty, struct err *e);

/* queue_pause stops (or, with false, starts) giving messages to takers. *was: how many of its shards were paused before. If some shards
 * cannot be asked, it goes on with the others; the error then names them, and is DQ_TEMPORARY at best: calling it again completes what
 * is missing. */
int queue_pause(struct queue *q, bool pause, int *was, struct err *e);

/* queue_exists: was anything put into it, and it was not forgotten since? A plain TYPE, for which every role has the right. */
void queue_exists_ahead(struct call *call, struct queue *q);
int queue_exists(struct queue *q, bool *exists, struct err *e);

/* queue_token: the last token, which is about the time of the last take, in us; 0 = none yet. */
int queue_token(struct queue *q, int64_t *token, struct err *e);

/* queue_lease_end: when the first lease ends (server's ms), -1 = nothing is leased. */
int queue_lease_end(const struct queue *q, int64_t *end, struct err *e);

/* queue_mark returns a mark for waiting tools to PART_WAKE, PART_TIMER or PART_GUARD; at is its score (ms), for PART_TIMER also
 * HELD_LOST. */
int queue_mark(struct queue *q, enum name_part part, int64_t at, const struct wait *wait, struct err *e);

#endif
