/* rounds: visits the shards of some queues in turn: which to call next, what a failed call means
 * for the others, and when to call again. The tool makes the calls and says how they ended; what it
 * does with what it got, and with the time in between, is its own.
 *
 *   a shard is    rounds_next    until
 *   ready         returns it     rounds_good: it is held, if its own wait is open;
 *                                rounds_failed: it is away, or its queue is partial
 *   held          skips it       a mark, or the time of its wait (only in a cluster: elsewhere all
 *                                queues share one wait)
 *   away          skips it       a tenth of a second has passed: its node is unreachable, or its
 *                                slot is being moved
 *   of a partial  skips it       partial.h says so
 *   queue
 *
 * A round has the queues in their order, and the shards of each queue from r->turn on, so each
 * shard is sometimes first. If the queues rotate, a round begins behind the queue that got most
 * in the last one (behind the last of several), its shards behind the one that gave last; and
 * each queue gets an equal share of what is wanted. What it leaves, the next ones get. So queues
 * that have enough get the same number, whatever is wanted in each round, and none waits until
 * another is empty.
 *
 * If the number of shards of a queue changes, the tool calls rounds_regroup as soon as nothing
 * of it points to a shard. What concerns the connections of all shards is for the tool:
 * waiter_lost, nodes_lost, nodes_pause. */
#ifndef DQ_ROUNDS_H
#define DQ_ROUNDS_H

#include "queue/limit.h"
#include "queue/partial.h"
#include "queue/shard_list.h"
#include "waiting/waiter.h"

struct rounds_shard {
	bool known;  /* it is known whether its queue exists, or that was asked */
	enum limit_why why; /* at the last call */
	bool broken; /* for the tool: false when the shards are made anew */
};

/* What a queue got, if the queues rotate. */
struct rounds_queue {
	unsigned turn, then; /* its shard that is asked first in this round, and in the next one */
	int got;             /* messages in this round */
	enum limit_why why;  /* not LIMIT_NONE: a limit (no pause) let a shard with ready messages
	                      * give nothing in this round */
};

/* Set the first group and zero the rest; rounds_free at the end. */
struct rounds {
	struct exchange *x;       /* borrowed, as are the next ones */
	int what;                 /* what is waited for (waits.h); 0: nothing */
	int64_t cap;              /* ms that a wait lasts; 0: as waiter.h has it */
	const char *also;         /* a key without queue whose marks are waited for, too;
	                           * NULL: none */
	bool lasts;               /* the tool opens lost connections again: nodes_lost notes
	                           * and reports them */
	bool rotates;             /* the queues in turn; else a queue is asked only if those before
	                           * it leave something to be wanted */
	unsigned turn;            /* any number: where to begin */

	struct shard_list list;   /* owners read it */
	struct rounds_shard *each; /* for each shard of the list; NULL: they are to be made anew */
	struct waiter waiter;

	/* Of the present round. */
	enum status missed;       /* not DQ_DONE: some could not be asked: the worst status */
	const char *missed_name;  /* the last such queue; NULL: none */
	bool unasked;             /* some were held */

	struct queue **wholes;    /* owned; what they point to is borrowed */
	int count;
	struct partial partial;
	int next;                 /* place in the round */
	struct rounds_queue *queues; /* for each queue */
	int from, then, most;     /* the queue that is first in this round, and in the next one;
	                           * the most that a queue got in this round */
	int start;                /* place of the first shard of `from` in the list */
};

/* What a failed call means. */
enum rounds_failure {
	ROUNDS_ALL,     /* it concerns all shards: the connection is lost, or the call is wrong */
	ROUNDS_CHANGED, /* the queue has another number of shards: rounds_regroup */
	ROUNDS_PARTIAL, /* its queue is partial: say so; the others go on */
	ROUNDS_STILL,   /* the same, and that was said */
	ROUNDS_AWAY     /* its node is unreachable, or its slot is being moved; the others go on */
};

/* A good call: the server's clock, and clock_us just before it was sent,
 * both as waiter_called takes them. */
struct rounds_reply {
	int64_t now_us, asked_us;
	int wanted, found; /* messages */
	enum limit_why why; /* as take.h has it; LIMIT_NONE where nothing is taken */
};

/* What to say after a good call. */
#define ROUNDS_SERVED 1u /* the queue was said to be partial, and is served again */
#define ROUNDS_PAUSED 2u /* all its shards are paused now */

/* rounds_watch takes these queues, each a whole, in place of those before, whose marks are returned
 * to Redis first. The array is from malloc; rounds owns it now, after a failure, too. -1: as
 * waiter_end, and all is as before; or out of memory: the next round tries to mend that. */
int rounds_watch(struct rounds *r, struct queue **wholes, int count, struct err *e);

/* rounds_watch_these does so with an array of queues, which are borrowed. */
int rounds_watch_these(struct rounds *r, struct queue *wholes, int count, struct err *e);

/* rounds_regroup makes the shards of all queues anew, with their waits. -1: as rounds_watch. */
int rounds_regroup(struct rounds *r, const struct wait *wait, struct err *e);
void rounds_free(struct rounds *r);

/* rounds_begin begins a round with all shards. rounds_next returns the next one to call, or -1: all
 * were asked. begun: a call for it is on its way already, so it is not skipped. rounds_stay: the
 * next one will be this one again. */
int rounds_begin(struct rounds *r, struct err *e);
int rounds_next(struct rounds *r, bool begun);
void rounds_stay(struct rounds *r);

/* rounds_place: the index of the k-th shard of the round. */
int rounds_place(const struct rounds *r, int k);

/* rounds_share: how many of the messages that are wanted in the rest of the round shard i may give.
 * 0: its queue has had its share, and may have more. */
int rounds_share(const struct rounds *r, int i, int wanted);

/* rounds_good and rounds_failed: how the call for shard i ended. rounds_failed may ask the queue
 * for its number of shards; then *e is the reason of what it returns. */
unsigned rounds_good(struct rounds *r, int i, const struct rounds_reply *got);
enum rounds_failure rounds_failed(struct rounds *r, int i, struct err *e);

/* rounds_keep_time: from now on it waits for the times of its queues, too, if it waits for
 * anything. True: until now it did not. */
bool rounds_keep_time(struct rounds *r);

/* rounds_unknown: true if it is not known whether the queue of shard i exists.
 * It says so once: the tool asks. */
bool rounds_unknown(struct rounds *r, int i);

/* As waiter_time, waiter_read and waiter_sleep,
 * but a partial queue whose time has come is a reason to call, too. */
int64_t rounds_time(const struct rounds *r);
int rounds_read(struct rounds *r, const struct wait *wait, struct err *e);
int rounds_sleep(struct rounds *r, int64_t until_us, int also_fd, struct err *e);

#endif
