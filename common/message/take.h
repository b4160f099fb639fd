/* take: leases messages of a queue. */
#ifndef DQ_TAKE_H
#define DQ_TAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/trace.h"
#include "message/tries.h"
#include "redis/durability.h"
#include "queue/limit.h"
#include "queue/queue.h"

struct take_conf {
	int count;      /* at most so many messages, up to QUEUE_CALL_MAX; 0: promote only */
	int64_t ttr;    /* ms, -1 = each message's own */
	bool promote;   /* promote due messages first */
	const char *holder; /* who takes (base/holder.h); borrowed; NULL: not said */
	struct held held; /* the time of a held mark that this call releases (queue.h) */
};

/* One delivery. The texts point into its struct take. */
struct delivery {
	const char *id;
	size_t id_len;
	const char *payload;
	size_t len;
	const char *reason;       /* why the last delivery ended; empty: there was none,
	                           * or no reason was given */
	size_t reason_len;
	struct tries tries;       /* counted: number of this delivery, from 1; at most max_tries */
	int64_t max_tries;
	int64_t due, lease_until; /* server's ms */
	int64_t ttr;              /* ms, the message's own */
	bool keep;                /* its outcome is kept */
	struct trace trace;
};

/* The result of one call. Zero-initialise; take_free at the end. */
struct take {
	struct call call;
	struct durability durability;         /* of call */
	char numbers[3][24], held[HELD_TEXT]; /* its arguments; borrowed until the reply */
	char token[NAME_TOKEN_MAX + 1];       /* of all its deliveries */
	int64_t asked;                        /* clock_ms */
	size_t wanted, count;                 /* requested; received */
	int64_t shortest;                     /* ms; of the leases that came */
	bool more;                            /* more can be taken: do not wait */
	enum limit_why why;                   /* LIMIT_PAUSED: nothing is delivered;
	                                       * else why messages that are ready are not */
	int64_t until;                        /* server's ms: when that may change; -1 = not known;
	                                       * 0 with LIMIT_NONE: a rate or a pause may soon hold
	                                       * messages back until a time: timers tell it */
	int64_t now_us, now;                  /* server's clock, us and ms */
	int64_t next;                         /* server's ms: next due time or lease end, or until;
	                                       * with more perhaps earlier; -1 = none */
};

/* take_run makes one call: take_send and take_recv. It buries a message with an invalid id, and
 * says so in q->notice; it delivers the others. After DQ_STOPPED take_recv may be called again for
 * the expected reply. On DQ_TEMPORARY with FATE_UNKNOWN messages may stay leased, without a
 * consumer, until their leases end. With FATE_UNCONFIRMED (see durability.h; also if the reply came
 * after all leases had ended) *t is filled: its deliveries must not be used, but can be given back.
 * take_expected, after DQ_STOPPED: is the reply on its way? Else nothing was leased. */
void take_send(struct take *t, struct queue *q, const struct take_conf *conf,
	       const struct wait *wait);
int take_recv(struct take *t, struct queue *q, const struct wait *wait, struct err *e);
int take_run(struct take *t, struct queue *q, const struct take_conf *conf, const struct wait *wait,
	     struct err *e);
bool take_expected(struct take *t);
void take_delivery(const struct take *t, size_t i, struct delivery *out);
void take_free(struct take *t);

/* take_due: true if messages remain that are ready; or that are due by that time (server's ms) but
 * not promoted yet, because a call moves only a batch. For calls that promote. New due times are
 * rounded up: with now + 1 a retry without delay counts, too. */
bool take_due(const struct take *t, int64_t by);

/* take_goes_on: true if another call may bring more messages now: some are ready, or a call that
 * promotes left moves that were due by that time (server's ms). These count where messages are
 * held back, too: they may free places, or bring messages of other keys; but not on a paused queue,
 * nor while a rate is used up.
 * take_since: that time, for calls one after another: of the last one that brought messages, or of
 * the first. since: before this call; -1 = it was the first. So calls in vain come to an end beside
 * producers: each moves a batch, and what is due later is left. */
bool take_goes_on(const struct take *t, bool promote, int64_t by);
int64_t take_since(const struct take *t, int64_t since);

/* take_until: clock_ms until which the i-th delivery is worth handing over: a little before its
 * lease ends, in time to give it back. */
int64_t take_until(const struct take *t, size_t i);

/* take_timely gives back the deliveries for which that time has come, and sets t->more: so their
 * messages are taken again. */
void take_timely(struct take *t, struct queue *q, const struct wait *wait);

/* take_return gives back deliveries from..count-1; their tries do not count. */
int take_return(struct take *t, struct queue *q, size_t from, const struct wait *wait,
		struct err *e);

/* take_return_begin begins that with *call (zeros, or used),
 * take_return_end waits for it and frees it. */
void take_return_begin(const struct take *t, struct queue *q, size_t from, struct call *call,
		       const struct wait *wait);
int take_return_end(const struct take *t, size_t from, struct call *call, const struct wait *wait,
		    struct err *e);

/* take_ack settles deliveries 0..n-1 as done, as confirm_run does. */
int take_ack(struct take *t, struct queue *q, size_t n, const struct wait *wait, struct err *e);

#endif
