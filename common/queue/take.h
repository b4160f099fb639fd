/* take: leases messages of a queue. */
#ifndef DQ_TAKE_H
#define DQ_TAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/trace.h"
#include "queue/durability.h"
#include "queue/queue.h"

struct take_conf {
	int count;      /* at most, 1..QUEUE_CALL_MAX */
	int64_t ttr;    /* ms, -1 = each message's own */
	bool promote;   /* move what is due first */
	int64_t held;   /* given up with this call (queue.h) */
};

/* One delivery. Texts point into the take it came from. */
struct delivery {
	const char *id;
	size_t id_len;
	const char *payload;
	size_t len;
	const char *reason;       /* why the last delivery ended; empty: there was none, or no reason was given */
	size_t reason_len;
	int64_t tries, max_tries; /* this is the tries-th of max_tries */
	int64_t due, lease_until; /* server's ms */
	int64_t ttr;              /* ms, the message's own */
	struct trace trace;
};

/* What came back from one call. Zero-initialise; take_free at the end. */
struct take {
	struct call call;
	struct durability durability;         /* of call */
	char numbers[3][24], held[HELD_TEXT]; /* its arguments: borrowed until the answer */
	char token[NAME_TOKEN_MAX + 1];       /* of all its deliveries */
	int64_t asked;                        /* clock_ms */
	size_t wanted, count;                 /* asked for; came */
	bool more;                            /* more is ready: do not wait */
	bool paused;                          /* the queue gives nothing until it is resumed */
	int64_t now_us, now;                  /* server's clock, us and ms */
	int64_t next;                         /* server's ms: next due time or lease end, or with more perhaps earlier; -1 = none */
};

/* take_run does one call: take_send and take_recv. What comes under an id that is none is buried, and noted in
 * q->notice; the rest is delivered. After DQ_STOPPED take_recv may be called again for the answer that is on its
 * way. On DQ_TEMPORARY with FATE_UNKNOWN messages may stay leased, without a consumer, until their leases end. With FATE_UNCONFIRMED
 * (durability.h; or it came only when all leases were over) *t is filled: its deliveries must not be used, but can be given back. wait
 * of take_send as of durability_send. take_refused: did take_recv fail as another server is to be asked, or later? take_run would see to
 * that. */
int take_send(struct take *t, struct queue *q, const struct take_conf *conf, const struct wait *wait, struct err *e);
int take_recv(struct take *t, struct queue *q, const struct wait *wait, struct err *e);
int take_run(struct take *t, struct queue *q, const struct take_conf *conf, const struct wait *wait, struct err *e);
bool take_refused(const struct take *t, const struct queue *q);
void take_delivery(const struct take *t, size_t i, struct delivery *out);
void take_free(struct take *t);

/* take_due: was something left that is ready or, since a call moves only a batch, due by that time (server's ms) and still to be
 * moved? For calls that promote. New due times are rounded up: with now + 1 a retry without delay counts, too. */
bool take_due(const struct take *t, int64_t by);

/* take_goes_on: would another call bring more messages now? From a paused queue one that promotes only does that, and delivers nothing. */
bool take_goes_on(const struct take *t, bool promote);

/* take_return gives deliveries from..count-1 back, uncounted. take_ack settles deliveries 0..n-1 as done,
 * as durability_run. */
int take_return(struct take *t, struct queue *q, size_t from, const struct wait *wait, struct err *e);
int take_ack(struct take *t, struct queue *q, size_t n, const struct wait *wait, struct err *e);

#endif
