/* call: one script or command with its arguments, how it is to be sent, and its reply.
 * exchange.h sends it. */
#ifndef DQ_CALL_H
#define DQ_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/name.h"
#include "base/wait.h"

struct conn;
struct durability;
struct exchange;
struct node;
struct redisReply;
struct script;

enum call_state { CALL_MADE, CALL_WAITS, CALL_SENT, CALL_OVER }; /* exchange.h */

/* What becomes of a call whose connection is lost. */
enum call_loss {
	LOSS_FAILS,  /* it is over; the tool decides. If the exchange is patient (patience.h): as
	              * the next two, by reads */
	LOSS_ONCE,   /* it is sent again if it was certainly not done;
	              * doing it twice would do harm */
	LOSS_REPEATS, /* it is sent again, until there was no answer for the time-out */
	LOSS_ENDS    /* it is over in any case: another server would have to begin anew */
};

/* What becomes of a call whose slot is being moved to another node of a cluster. */
enum moving {
	MOVING_WAITS,  /* it is repeated until its time-out */
	MOVING_FAILS,  /* FATE_MOVING at once, because the tool serves other queues meanwhile */
	MOVING_EXPIRES /* it is repeated until nodes.moving_until, then FATE_MOVING */
};

/* Zero-initialise; call_free at the end. Keys and arguments are borrowed until it is over: it may
 * be sent again. */
struct call {
	const struct script *script; /* NULL: a plain command */
	const char **argv;
	size_t *lens;
	int argc, cap;
	int key;                     /* index of the argument whose slot decides the node;
	                              * 0 = none */
	bool reads;                  /* it changes nothing, whatever becomes of it */
	bool overflow;               /* out of memory while adding; sending reports it */
	struct redisReply *reply;    /* owned */

	/* How it is sent. Set them after call_start. */
	enum call_loss loss;
	struct node *at;             /* where it is sent; NULL: to the node of its slot,
	                              * or the root */
	const void *lane;            /* calls of a lane have their effects in the order of adding;
	                              * NULL: none */
	struct call *before;         /* what is sent right before it, on the same connection;
	                              * the first of their errors is its reply */
	struct durability *confirms; /* its reply counts when that is over, too (durability.h);
	                              * NULL: at once */
	const char *repeat;          /* replaces argument repeat_at when it is sent again and may
	                              * have been done; NULL: none */
	int repeat_at;
	bool sent_before;            /* an earlier call without a reply may have done it */
	bool hurried;                /* no pause, and no new connection: the tool ends,
	                              * or the time of its wait is over */

	/* Of the exchange; owners read them. */
	enum call_state state;
	bool tried;                  /* it was sent again, or will be,
	                              * after a failure that passes (patience.h) */
	bool repeated;               /* an earlier connection may have done it */
	int64_t until;               /* clock_ms: refusals are repeated until then;
	                              * 0: it was not refused */
	int64_t retry_at;            /* clock_ms: it is not sent before */
	struct err *why;             /* why it has no reply, or lost the last one; owned;
	                              * NULL: none */

	/* Of the exchange alone. */
	struct exchange *x;
	struct call *next;           /* on its way, too */
	struct call *main;           /* not NULL: this one only goes before that one,
	                              * or confirms it */
	struct node *node;           /* to which it was sent, or is to be sent */
	struct node *asking;         /* it is sent there next time, after ASKING;
	                              * NULL: where it belongs */
	struct wait wait;
	unsigned opened;             /* which opening of the connection of node */
	int hops;                    /* redirections */
	enum moving moving;          /* as nodes.moving was when it was added */
	bool elsewhere;              /* node is not the master */
};

/* call_start begins anew (argv is kept for reuse) with all keys of a queue, call_start_on with
 * those two. call_plain begins a command without script, call_read one that changes nothing.
 * call_like begins a call of another script with the keys and the first argument of a script call.
 * The adders never fail: see overflow. */
void call_start(struct call *call, const struct script *script, const struct name_keys *keys);
void call_start_on(struct call *call, const struct script *script, const char *key,
		   const char *other);
void call_plain(struct call *call, const char *command);
void call_read(struct call *call, const char *command);
void call_like(struct call *call, const struct script *script, const struct call *other);
void call_add(struct call *call, const char *bytes, size_t len);
void call_key(struct call *call, const char *key, size_t len); /* a command's first key */
void call_text(struct call *call, const char *text);
void call_free(struct call *call);

/* call_send writes its words to that connection, with the call as the tag;
 * for those who send calls (dispatch.h). */
int call_send(struct call *call, struct conn *c, struct err *e);

/* call_begun: is it on its way, or over? call may be NULL. */
static inline bool call_begun(const struct call *call)
{
	return call && call->state != CALL_MADE;
}

/* call_perhaps_done: of one without a reply. */
bool call_perhaps_done(const struct call *call);

/* call_slot: that of its key, which it has. */
unsigned call_slot(const struct call *call);

/* call_drop takes it out of its exchange: nobody waits for its reply any more. call_free and
 * call_start do that, too. */
void call_drop(struct call *call);

void call_forget_reply(struct call *call);

/* call_blame sets why. e: NULL: to NULL. */
void call_blame(struct call *call, const struct err *e);

/* call_failed: *e is why the call has no good reply. A call that changes nothing has done nothing,
 * even if it is not known whether it ran. Returns -1. */
int call_failed(const struct call *call, struct err *e);

/* call_check: -1: the reply is an error reply. */
int call_check(const struct call *call, struct err *e);

/* call_unexpected: DQ_INTERNAL for a reply that this script cannot give. */
int call_unexpected(const struct call *call, struct err *e);

#endif
