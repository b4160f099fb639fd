/* slot: one delivery of a worker, from take to settled: the command that runs, the lease that is kept, the verdict. */
#ifndef DQ_SLOT_H
#define DQ_SLOT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/name.h"
#include "child.h"
#include "queue/receipt.h"
#include "queue/take.h"
#include "tool/link.h"

#define SLOT_LOOK 1000 /* ms for which a receipt counts as valid without a word from Redis */

enum slot_state {
	SLOT_FREE,
	SLOT_RUNNING,
	SLOT_ENDING, /* its group got TERM: the lease is lost, or we were told twice to stop */
	SLOT_ENDED   /* the command is over, the verdict is not yet with Redis */
};

struct slot {
	enum slot_state state;
	struct child child;
	struct queue *queue;
	char id[NAME_MAX_BYTES + 1], token[NAME_TOKEN_MAX + 1];
	int64_t ttr;        /* ms, of each extension */
	int64_t lease_end;  /* clock_ms: not later than the server's end of the lease */
	int64_t renew_at;   /* clock_ms: time to extend */
	int64_t look_at;    /* clock_ms: time to ask whether the receipt is still valid; hold.h */
	int64_t kill_after; /* ms between TERM and KILL */
	int64_t kill_at;    /* clock_ms: ENDING becomes KILL, and then nothing more to be done */
	bool killed;        /* KILL was sent */
	int64_t linger_at;  /* clock_ms: look again whether the rest of an ENDING group has ended */
	bool lost;          /* the lease is: nothing is to be settled */
	bool sent;          /* the verdict went out once, and its answer was lost */
	enum receipt_verb verdict;
	char reason[RECEIPT_REASON_MAX + 1];
};

/* slot_start runs argv for the i-th delivery of t, taken from q by a request sent at `asked` (clock_ms). ttr: ms of each extension,
 * -1 = the message's own. Returns 0, or an errno: then the slot is free and the message still leased. */
int slot_start(struct slot *s, struct queue *q, const struct take *t, const struct delivery *d, char *const argv[],
	       char *const envp[], int64_t ttr, int64_t asked);

/* slot_tend renews the lease when it is time, ends the command when the lease is lost, and kills it when TERM was not enough. */
void slot_tend(struct slot *s, struct link *l);

/* slot_doubt: the receipt does not seem to be valid any more: the next slot_tend renews the lease, and so finds out. */
void slot_doubt(struct slot *s);

/* slot_end sends TERM to the command's process group, and KILL kill_after later. */
void slot_end(struct slot *s);

/* slot_reap looks whether the command has ended (after crew_gather), and, of one that must end, all its group, and then reaches the
 * verdict. give_back: a command that was ended by us was not really tried. Returns its exit status, -1 for a signal, -2 while it runs. */
int slot_reap(struct slot *s, bool give_back);

/* slot_settle brings the verdict to Redis; without an answer it stays, and is brought again. */
void slot_settle(struct slot *s, struct link *l);

/* slot_abandon gives a verdict up that cannot be brought. */
void slot_abandon(struct slot *s);

/* slot_time: when slot_tend has something to do, INT64_MAX = never. */
int64_t slot_time(const struct slot *s);

#endif
