/* apply: calls one script for many messages: named ones, or all in one state of a queue. It may
 * limit their number or their rate, or only print their names. It reports failures, and continues
 * where that makes sense. */
#ifndef DQ_APPLY_H
#define DQ_APPLY_H

#include "message/letters.h"
#include "bulk/pipeline.h"
#include "queue/queue_set.h"
#include "tool/progress.h"

struct apply_conf {
	const struct script *script; /* its arguments: now, perhaps one more, then ids */
	const char *argument;        /* that argument, or NULL */
	const char *holder;          /* only messages that it has (base/holder.h),
	                              * of those of apply_all and of dry; NULL: all */
	const char *word;            /* "removed": what the script does to a message */
	bool single;                 /* do not send a call twice, as in pipeline_conf */
	bool dry;                    /* print the names of the messages that would change,
	                              * and change nothing */
	bool frees;                  /* the script frees reserved ids, too */
	bool removes;                /* the whole queue: another client may remove or create it: no
	                              * failure, sets apply.shards_changed */
	int64_t limit;               /* of all messages done; -1 = none */
	int64_t rate;                /* messages a second, evenly; 0 = no limit */
	/* would: for dry: what the script would reply for a message in that state ("" = in none,
	 * NULL = no such message); the holder is checked already. */
	enum apply_letter (*would)(void *ctx, const char *state);
	/* missed: a named message got a letter other than APPLY_OK.
	 * Returns the exit status for it. */
	enum status (*missed)(void *ctx, const struct pipeline_result *result);
	void *ctx;
};

struct apply {
	struct apply_conf conf;
	struct exchange *x;
	struct pipeline pipeline;
	int64_t done;
	struct progress progress;
	int64_t under_way;  /* added, without a reply yet */
	int64_t next_at;    /* us, of clock_ms: when the next one may be sent */
	bool paging;        /* within apply_all */
	bool refused;       /* since apply_all began, a whole call was refused */
	/* with conf.removes: another client removes or creates the queue;
	 * the owner sets it to false again */
	bool shards_changed;
	enum status status; /* the worst so far */
};

void apply_init(struct apply *m, struct exchange *x, const struct apply_conf *conf);

/* apply_add applies the script to one message, perhaps later; apply_finish sends the rest and waits
 * for all replies. 0; or -1: the limit is reached, or the tool cannot continue, which was reported
 * and is in m->status. id is copied; q must outlive m. */
int apply_add(struct apply *m, struct queue *q, const char *id);
int apply_finish(struct apply *m);

/* apply_add_at is apply_add of a message in that shard of whole; q is whole: the id decides. */
int apply_add_at(struct apply *m, struct queue *whole, struct queue *q, const char *id);

/* apply_flush: as pipeline_flush. Returns as apply_add. */
int apply_flush(struct apply *m, struct meanwhile *meanwhile, int64_t *again_at);

/* apply_all applies the script to all messages in that state, in short calls, and finishes.
 * Messages that leave the state during this time are no failure. If it skipped a foreign id, the
 * status is DQ_NO. It ends at the first message with a later time than until (struct listed; -1 =
 * none). Returns as apply_add. */
int apply_all(struct apply *m, struct queue *q, const char *state, int64_t until);

/* apply_states is apply_all of each state of the list (listing_among), one after the other, until
 * a whole call is refused. Their first pages are asked for together. */
int apply_states(struct apply *m, struct queue *q, const char *list);

/* apply_key applies the script to all messages of that key in one of these states (listing_among),
 * as apply_all. *found: how many there were. */
int apply_key(struct apply *m, struct queue *q, const char *key, const char *list, int64_t *found);

/* apply_left: how many more the limit allows. */
int64_t apply_left(const struct apply *m);

/* apply_failed reports that a call for q failed.
 * Returns as apply_add: 0 if the tool may continue with another queue. */
int apply_failed(struct apply *m, const struct queue *q, const struct err *e);
void apply_free(struct apply *m);

#endif
